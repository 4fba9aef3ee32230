/** A part of a file that should hold one JSON value. */
export interface Piece {
  /** UTF-8 text; `undefined` when it passed the limit. */
  readonly bytes: Buffer | undefined;
  /** Where its first byte that is no white space stands, counted from 1. */
  readonly line: number;
}

/** Bytes as they arrive. */
export type Chunks = AsyncIterable<Buffer>;

/** What is wrong with an array as a whole. */
export interface ArrayFlaw {
  readonly line: number;
  readonly detail: string;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Cuts a stream into lines that are not blank, with one line in memory at a time. */
export async function* splitLines(chunks: Chunks, maxBytes: number): AsyncGenerator<Piece> {
  const piece = gather(maxBytes);
  let line = 1;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      piece.add(chunk.subarray(start, end), line);
      yield* piece.take();
      line += 1;
      start = end + 1;
    }
    piece.add(chunk.subarray(start), line);
  }
  yield* piece.take();
}

/** Takes a stream as one value. */
export async function* wholeDocument(chunks: Chunks, maxBytes: number): AsyncGenerator<Piece> {
  const piece = gather(maxBytes);
  for await (const chunk of chunks) piece.add(chunk, 1);
  yield* piece.take();
}

/**
 * Cuts a stream that holds a JSON array into its elements, with one element in memory at a time. What is wrong inside
 * an element stays inside its piece; what is wrong with the array itself is returned at the end.
 */
export async function* splitArray(
  chunks: Chunks,
  maxBytes: number,
): AsyncGenerator<Piece, ArrayFlaw | undefined> {
  const piece = gather(maxBytes);
  const step = arraySteps();
  let line = 1;
  let isClosed = false;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (isClosed && !isBlank(byte)) return { line, detail: 'text after the end of the array' };
      const mark = step(byte);
      if (mark !== 'inside' || byte === NEWLINE) {
        if (mark !== 'open')
          piece.add(chunk.subarray(start, mark === 'inside' ? at + 1 : at), line);
        start = at + 1;
      }
      if (mark === 'cut' || mark === 'close') yield* piece.take();
      if (mark === 'close') isClosed = true;
      if (byte === NEWLINE) line += 1;
    }
    if (!isClosed) piece.add(chunk.subarray(start), line);
  }
  yield* piece.take();
  return isClosed ? undefined : { line, detail: 'the array has no end' };
}

/** Says of each byte of an array whether it opens it, ends an element, or closes it. */
function arraySteps(): (byte: number) => 'open' | 'cut' | 'close' | 'inside' {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (byte) => {
    if (isText) {
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) isText = false;
      return 'inside';
    }
    if (byte === QUOTE) isText = true;
    if (byte === COMMA && depth === 1) return 'cut';
    if (isOpening(byte)) return (depth += 1) === 1 ? 'open' : 'inside';
    if (isClosing(byte)) return (depth -= 1) === 0 ? 'close' : 'inside';
    return 'inside';
  };
}

/** Collects the bytes of one piece up to a limit. */
function gather(maxBytes: number) {
  let parts: Buffer[] = [];
  let size = 0;
  let line = 0;
  return {
    add(bytes: Buffer, at: number): void {
      if (line === 0) {
        if (bytes.every(isBlank)) return;
        line = at;
      }
      size += bytes.length;
      if (size <= maxBytes) parts.push(bytes);
      else parts = [];
    },
    *take(): Generator<Piece> {
      if (line !== 0) yield { bytes: size <= maxBytes ? Buffer.concat(parts) : undefined, line };
      parts = [];
      size = 0;
      line = 0;
    },
  };
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

function isOpening(byte: number): boolean {
  return byte === 0x5b || byte === 0x7b;
}

function isClosing(byte: number): boolean {
  return byte === 0x5d || byte === 0x7d;
}
