import type { Readable } from 'node:stream';
import { BridgeError } from '../../host/bridges.ts';
import { LIMITS } from '../../sdk/limits.ts';

/**
 * Reads a response body as UTF-8 text. A longer one than the limit and a compressed one are refused: the first as soon as
 * it is known, the second because a few kilobytes may become gigabytes.
 */
export async function readText(
  body: Readable,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  try {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding.trim().toLowerCase() !== 'identity') {
      throw new BridgeError('unavailable', 'The response is compressed, which was not asked for');
    }
    if (Number(headers['content-length'] ?? 0) > LIMITS.fetchResponseBytes) throw tooLong();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > LIMITS.fetchResponseBytes) throw tooLong();
      chunks.push(chunk);
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
  } finally {
    discard(body);
  }
}

/** Stops a body that nobody reads on: what is left would go on arriving. Its error is that we stopped it. */
export function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function tooLong(): BridgeError {
  return new BridgeError(
    'unavailable',
    `The response is longer than ${LIMITS.fetchResponseBytes} bytes`,
  );
}
