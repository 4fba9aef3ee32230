import { createReadStream } from 'node:fs';
import { SignalboxError } from '../../sdk/errors.ts';

/** One line of a file, counted from 1, and the bytes read up to its end. */
export interface Line {
  readonly number: number;
  readonly text: string;
  readonly bytesRead: number;
}

/**
 * Reads a UTF-8 file line by line without holding more than one line. Empty lines are left out. Throws
 * `file_unreadable`, and `row_invalid` for a line that is too long or no UTF-8.
 */
export async function* readLines(file: string, maxLineBytes: number): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let bytesRead = 0;
  const decode = (line: Buffer): Line | undefined => {
    number += 1;
    bytesRead += line.length + 1;
    if (line.length > maxLineBytes) throw tooLong(file, number, maxLineBytes);
    let text: string;
    try {
      text = decoder.decode(line).trim();
    } catch {
      throw new SignalboxError('row_invalid', { file, line: number, detail: 'not UTF-8 text' });
    }
    return text === '' ? undefined : { number, text, bytesRead };
  };
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of readChunks(file)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = decode(Buffer.concat([...rest, chunk.subarray(start, end)]));
      rest = [];
      restBytes = 0;
      start = end + 1;
      if (line !== undefined) yield line;
    }
    rest.push(chunk.subarray(start));
    restBytes += chunk.length - start;
    if (restBytes > maxLineBytes) throw tooLong(file, number + 1, maxLineBytes);
  }
  const last = restBytes > 0 ? decode(Buffer.concat(rest)) : undefined;
  if (last !== undefined) yield last;
}

const NEWLINE = 0x0a;

async function* readChunks(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }))
      yield chunk as Buffer;
  } catch (error) {
    // Only the stream's own errors come here: a generator's consumer does not throw into it.
    const detail = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new SignalboxError('file_unreadable', { file, detail });
  }
}

function tooLong(file: string, line: number, maxLineBytes: number): SignalboxError {
  return new SignalboxError('row_invalid', {
    file,
    line,
    detail: `longer than ${maxLineBytes} bytes`,
  });
}
