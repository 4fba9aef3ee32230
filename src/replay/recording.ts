import { createReadStream } from 'node:fs';
import { basename } from 'node:path';

import { SignalboxError } from '../../sdk/errors.ts';
import { readJsonText } from '../config/json-text.ts';
import { splitArray, splitLines, wholeDocument, type Chunks, type Piece } from './json-pieces.ts';

/** A conversation as it was recorded. What its messages are is not checked yet. */
export interface Conversation {
  /** The recorded id; without one, the file's name and the line. */
  readonly id: string;
  readonly file: string;
  readonly messages: readonly unknown[];
  /** The line of the file on which a message stands, or its conversation when both share one. */
  lineOf(message: number): number;
}

/** A conversation, or what is wrong at a place of the file; reading goes on behind it. */
export type RecordingEntry =
  { readonly conversation: Conversation } | { readonly error: SignalboxError };

/** The most that one conversation may hold, and that is read into memory at a time. */
const MAX_CONVERSATION_BYTES = 64 * 1024 * 1024;

/** How much of a file may be read to see which form it has. */
const HEAD_BYTES = 1024 * 1024;

const OPENING_BRACKET = '[';
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads the conversations of a file in their order: JSON lines, a JSON array, or one `{messages}` document. `-` is
 * standard input. Throws `file_unreadable`; what is malformed comes as an entry with `conversation_invalid`.
 */
export async function* readRecording(file: string): AsyncGenerator<RecordingEntry> {
  const name = file === '-' ? 'standard input' : file;
  let count = 0;
  for await (const entry of readEntries(name, openChunks(file, name))) {
    count += 1;
    yield entry;
  }
  if (count === 0) yield { error: invalid(name, 1, 'it holds no conversation') };
}

/** Reads several recordings one after another; one that cannot be read is an entry with its error. */
export async function* readRecordings(files: readonly string[]): AsyncGenerator<RecordingEntry> {
  for (const file of files) {
    try {
      yield* readRecording(file);
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error;
      yield { error };
    }
  }
}

/** Reads conversations out of a text, in any of the forms that files have. */
export async function* readRecordedText(text: string): AsyncGenerator<RecordingEntry> {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from(text);
  }
  let count = 0;
  for await (const entry of readEntries('recording', chunks())) {
    count += 1;
    yield entry;
  }
  if (count === 0) yield { error: invalid('recording', 1, 'it holds no conversation') };
}

async function* readEntries(file: string, chunks: Chunks): AsyncGenerator<RecordingEntry> {
  const { head, rest } = await readHead(chunks);
  if (head.startsWith(OPENING_BRACKET)) {
    const pieces = splitArray(rest, MAX_CONVERSATION_BYTES);
    let next = await pieces.next();
    for (; next.done !== true; next = await pieces.next()) yield readPiece(file, next.value);
    if (next.value !== undefined) {
      yield { error: invalid(file, next.value.line, next.value.detail) };
    }
    return;
  }
  const split = isLines(file, head) ? splitLines : wholeDocument;
  for await (const piece of split(rest, MAX_CONVERSATION_BYTES)) yield readPiece(file, piece);
}

/** One of the first two lines is a whole object, or the name says so: everything else is one document. */
function isLines(file: string, head: string): boolean {
  if (/\.(jsonl|ndjson)$/i.test(file)) return true;
  const lines = head.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.slice(0, 2).some((line) => isObject(parse(line)));
}

function readPiece(file: string, piece: Piece): RecordingEntry {
  const { line } = piece;
  if (piece.bytes === undefined) {
    return { error: invalid(file, line, `longer than ${MAX_CONVERSATION_BYTES} bytes`) };
  }
  const text = decode(piece.bytes);
  if (text === undefined) return { error: invalid(file, line, 'not UTF-8') };
  const value = parse(text);
  if (value === undefined) {
    const read = readJsonText(text);
    const flaw = read.ok ? { line: 1, column: 1, detail: 'not JSON' } : read;
    const detail = `not JSON, column ${flaw.column}: ${flaw.detail}`;
    return { error: invalid(file, line + flaw.line - 1, detail) };
  }
  const detail = misfitConversation(value);
  if (detail !== undefined) return { error: invalid(file, line, detail) };
  const { id, messages } = value as { id?: string | number; messages: unknown[] };
  const lineOf = (message: number): number => {
    if (!text.trim().includes('\n')) return line;
    const read = readJsonText(text);
    return read.ok ? line + read.placeOf(['messages', message]).line - 1 : line;
  };
  const name = id === undefined ? `${basename(file)}:${line}` : String(id);
  return { conversation: { id: name, file, messages, lineOf } };
}

function misfitConversation(value: unknown): string | undefined {
  if (!isObject(value)) return 'a conversation must be an object';
  const { id, messages } = value;
  if (!Array.isArray(messages)) return 'a conversation must have an array "messages"';
  if (messages.length === 0) return '"messages" is empty';
  if (id === undefined || Number.isSafeInteger(id)) return undefined;
  const isId = typeof id === 'string' && id.length > 0 && id.length <= 256;
  return isId ? undefined : '"id" must be a text of 1 to 256 characters';
}

/** The start of a stream as far as its form shows, and the stream from its start on. */
async function readHead(chunks: Chunks): Promise<{ head: string; rest: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let first: Buffer = Buffer.alloc(0);
  let head = '';
  while (first.length < HEAD_BYTES && !head.startsWith(OPENING_BRACKET) && countLines(head) < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
    if (first.subarray(0, 3).equals(BYTE_ORDER_MARK)) first = first.subarray(3);
    head = first.toString('utf8').trimStart();
  }
  async function* rest(): AsyncGenerator<Buffer> {
    try {
      yield first;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head, rest: rest() };
}

/** Whole lines that are not blank. */
function countLines(text: string): number {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.trim() !== '').length;
}

async function* openChunks(file: string, name: string): AsyncGenerator<Buffer> {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new SignalboxError('file_unreadable', { file: name, detail: code });
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(file: string, line: number, detail: string): SignalboxError {
  return new SignalboxError('conversation_invalid', { file, line, detail });
}
