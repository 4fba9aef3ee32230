type Message = Readonly<Record<string, unknown>>;

const NAMES: Readonly<Record<string, string>> = {
  toolCalls: 'tool_calls',
  toolCallId: 'tool_call_id',
  createdAt: 'created_at',
  parentId: 'parent_id',
};
const OUR_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NAMES).map(([ours, theirs]) => [theirs, ours]),
);

/** A stored message in the words of Standard Agents: tool calls are JSON text. Nothing is `undefined`. */
export function toRecord(message: Message | undefined): Record<string, unknown> {
  return renamed(message ?? {}, NAMES, (key, value) =>
    key === 'toolCalls' ? JSON.stringify(value) : copied(value),
  );
}

/** A record that a hook returned, in our words. */
export function fromRecord(record: Message): Message {
  return renamed(record, OUR_NAMES, (key, value) =>
    key === 'tool_calls' && typeof value === 'string' ? parsed(value) : value,
  );
}

/** The messages of a request as HookMessage[]: each has an id, a time and a content. */
export function toRecords(messages: unknown): readonly Record<string, unknown>[] {
  if (!Array.isArray(messages)) return [];
  return (messages as readonly Message[]).map((message, index) => {
    const record = toRecord(message);
    return { ...record, ...missing(record, index) };
  });
}

/** What a HookMessage must have and the message has not. */
function missing(record: Message, index: number): Message {
  const { id, created_at: time, content } = record;
  return {
    ...(id === undefined && { id: generatedId(index) }),
    ...(time === undefined && { created_at: 0 }),
    ...(content === undefined && { content: null }),
  };
}

/** Returned messages in our words, without what {@link toRecords} made up. */
export function fromRecords(records: readonly Message[], given: unknown): readonly Message[] {
  const originals = new Map(
    (Array.isArray(given) ? (given as readonly Message[]) : []).map((message, index) => [
      message['id'] ?? generatedId(index),
      message,
    ]),
  );
  return records.map((record) => {
    const original = originals.get(record['id'] ?? '');
    const { id, createdAt, content, ...rest } = fromRecord(record);
    const isKept = (key: string): boolean => original === undefined || Object.hasOwn(original, key);
    return {
      ...rest,
      ...(isKept('id') && id !== undefined && { id }),
      ...((isKept('content') || content !== null) && { content }),
      ...((isKept('createdAt') || createdAt !== 0) && createdAt !== undefined && { createdAt }),
    };
  });
}

function generatedId(index: number): string {
  return `message_${index}`;
}

function renamed(
  message: Message,
  names: Readonly<Record<string, string>>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(message).flatMap(([key, value]) => {
      if (value === undefined) return [];
      const name = Object.hasOwn(names, key) ? (names[key] as string) : key;
      // Optional fields of a HookMessage may be null, ours are absent then.
      if (value === null && OPTIONAL.includes(key)) return [];
      return [[name, change(key, value)] as const];
    }),
  );
}

const OPTIONAL = ['name', 'tool_calls', 'tool_call_id', 'parent_id', 'toolCalls', 'toolCallId'];

function copied(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
