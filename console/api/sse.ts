/** One event of a stream. */
export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Longer than any event of ours; a stream that goes on without an end of line is given up. */
const MAX_CHARS = 4 * 1024 * 1024;

/** Reads a stream of events. `fetch` can show a token, which the browser's own EventSource cannot. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
  let rest = '';
  for await (const chunk of chunksOf(reader)) {
    rest += chunk;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > MAX_CHARS) return;
    for (const block of blocks) {
      const event = eventOf(block);
      if (event.data !== '') yield event;
    }
  }
}

async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): StreamEvent {
  const fields: Record<'id' | 'event' | 'data', string> = { id: '', event: 'message', data: '' };
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|event|data):? ?(.*)$/.exec(line) ?? [];
    if (name === 'data' && fields.data !== '') fields.data += `\n${value}`;
    else if (name === 'id' || name === 'event' || name === 'data') fields[name] = value;
  }
  return fields;
}
