type Message = Readonly<Record<string, unknown>>;

/** Messages with the field names of the chat format: `tool_calls`, `tool_call_id`. What is no list is `undefined`. */
export function snakeMessages(messages: unknown): readonly Message[] | undefined {
  if (!Array.isArray(messages)) return undefined;
  return (messages as readonly Message[]).map((message) =>
    rename(message, { toolCalls: 'tool_calls', toolCallId: 'tool_call_id' }),
  );
}

/** Messages of the chat format in our field names. A field that is `null` there is absent here. */
export function fromSnakeMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    rename(message, { tool_calls: 'toolCalls', tool_call_id: 'toolCallId' }),
  );
}

function rename(message: Message, names: Readonly<Record<string, string>>): Message {
  if (!Object.keys(names).some((name) => Object.hasOwn(message, name))) return message;
  return Object.fromEntries(
    Object.entries(message).map(([key, value]) => [
      Object.hasOwn(names, key) ? (names[key] as string) : key,
      value,
    ]),
  );
}
