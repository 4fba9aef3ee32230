import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { SignalboxError } from '../../sdk/errors.ts';
import { readJsonText } from './json-text.ts';

/** Reads a JSON value from a file, or from standard input when it is `-`. Throws `file_unreadable`, `json_invalid`. */
export async function readJsonFile(file: string): Promise<unknown> {
  const name = file === '-' ? 'standard input' : file;
  return parseJson(await readText(file, name), name);
}

/** Reads a JSON value out of a text. Throws `json_invalid` with the name and the place. */
export function parseJson(json: string, file: string): unknown {
  const read = readJsonText(json);
  if (read.ok) return read.value;
  const { line, column, detail } = read;
  throw new SignalboxError('json_invalid', { file, line, column, detail });
}

async function readText(file: string, name: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new SignalboxError('file_unreadable', { file: name, detail: code });
  }
}
