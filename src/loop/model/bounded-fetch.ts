import { ModelFailure } from './model.ts';

/** Bytes that one character of an answer may come in: JSON around each token, and escapes. */
const BYTES_PER_CHAR = 64;
const BYTES_BESIDE = 1024 * 1024;

/** A fetch whose answers end in an error once they are longer than an answer of so many characters can be. */
export function boundedFetch(maxChars: number): typeof fetch {
  const maxBytes = maxChars * BYTES_PER_CHAR + BYTES_BESIDE;
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    let bytes = 0;
    const counted = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes <= maxBytes) controller.enqueue(chunk);
          else controller.error(tooLong(maxChars));
        },
      }),
    );
    return new Response(counted, { status, statusText, headers });
  };
}

/** The failure of an answer without an end. */
export function tooLong(maxChars: number): ModelFailure {
  return new ModelFailure(`it is longer than ${maxChars} characters`, { kind: 'answer' });
}
