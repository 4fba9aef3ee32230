/** A tool call as a recording shows it. */
export interface RecordedCall {
  readonly id: string | undefined;
  readonly toolName: string;
  /** What the model wrote, before anyone read it as JSON. */
  readonly written: unknown;
}

/** A chat message in the form that the points are read from, or what is wrong with it. */
export type RecordedMessage =
  | { readonly role: 'system' }
  | { readonly role: 'user'; readonly text: string; readonly attachments: readonly unknown[] }
  | {
      readonly role: 'assistant';
      readonly text: string | undefined;
      readonly calls: readonly RecordedCall[];
    }
  | { readonly role: 'tool'; readonly text: string; readonly callId: string | undefined }
  | { readonly role: 'unreadable'; readonly detail: string };

type Fields = Readonly<Record<string, unknown>>;

/** Reads one message of the OpenAI chat format; text parts are text, and `function_call` is a tool call. */
export function readMessage(value: unknown): RecordedMessage {
  if (!isFields(value)) return unreadable('a message must be an object');
  const { role } = value;
  if (role === 'system' || role === 'developer') return { role: 'system' };
  if (role === 'assistant') return readAssistant(value);
  const content = readContent(value.content);
  if (role === 'user') {
    if (content === undefined) return unreadable('"content" must be a text or an array of parts');
    return { role, text: content.text ?? '', attachments: content.others };
  }
  if (role === 'tool' || role === 'function') {
    if (content?.text === undefined) return unreadable('"content" of a tool result must be a text');
    const { tool_call_id: id } = value;
    return { role: 'tool', text: content.text, callId: typeof id === 'string' ? id : undefined };
  }
  return unreadable('"role" must be system, developer, user, assistant or tool');
}

function readAssistant(value: Fields): RecordedMessage {
  const { tool_calls: many, function_call: one, refusal } = value;
  const hasText = value.content !== undefined && value.content !== null;
  const content = hasText ? readContent(value.content) : { text: undefined };
  if (content === undefined) return unreadable('"content" must be a text or an array of parts');
  if (many !== undefined && many !== null && !Array.isArray(many)) {
    return unreadable('"tool_calls" must be an array');
  }
  const given = many ?? (isFields(one) ? [{ function: one }] : []);
  const calls: RecordedCall[] = [];
  for (const [index, item] of given.entries()) {
    const call = readCall(item);
    if (call === undefined) return unreadable(`"tool_calls[${index}]" names no function`);
    calls.push(call);
  }
  const text = content.text ?? (typeof refusal === 'string' ? refusal : undefined);
  return { role: 'assistant', text, calls };
}

function readCall(item: unknown): RecordedCall | undefined {
  if (!isFields(item) || !isFields(item.function)) return undefined;
  const { name, arguments: written } = item.function;
  if (typeof name !== 'string' || name === '') return undefined;
  return { id: typeof item.id === 'string' ? item.id : undefined, toolName: name, written };
}

/** The text of a content field, and its parts that are no text. */
function readContent(
  content: unknown,
): { text: string | undefined; others: unknown[] } | undefined {
  if (typeof content === 'string') return { text: content, others: [] };
  if (!Array.isArray(content)) return undefined;
  const texts: string[] = [];
  const others: unknown[] = [];
  for (const part of content) {
    if (!isFields(part)) return undefined;
    const text = part.type === 'refusal' ? part.refusal : part.text;
    if (typeof text === 'string') texts.push(text);
    else others.push(part);
  }
  return { text: texts.length > 0 ? texts.join('\n') : undefined, others };
}

/** The arguments of a call as an object, or `undefined` where what was written is none. No text at all is `{}`. */
export function readArguments(written: unknown): Record<string, unknown> | undefined {
  if (written === undefined || written === null || written === '') return {};
  const value = typeof written === 'string' ? parse(written) : written;
  return isFields(value) ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(detail: string): RecordedMessage {
  return { role: 'unreadable', detail };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
