import { styleText } from 'node:util';

import { SignalboxError } from '../../sdk/errors.ts';
import { printable } from '../config/printable.ts';
import { drawTable, type Cell } from './table.ts';

/** Where a command writes: results to standard output, everything about them to standard error. */
export interface Terminal {
  /** Whether machines read the results. */
  readonly isJson: boolean;
  /** Whether a person sees standard error. */
  readonly isWatched: boolean;
  /** Aborted when nobody reads the results any more. */
  readonly closed: AbortSignal;
  line(text: string): void;
  /** One line of JSON. */
  json(value: unknown): void;
  table(head: readonly string[], rows: readonly (readonly Cell[])[]): void;
  /** A line about the work, not part of its results. */
  note(text: string): void;
  error(error: unknown): void;
  /** Replaces the line of progress; nothing where nobody watches. Without a text, takes it away. */
  progress(text?: string): void;
}

const CLEAR_LINE = '\r\u001b[2K';
const PROGRESS_MS = 80;

// Legal in JSON, and still able to drive a terminal or turn its text around.
// eslint-disable-next-line no-control-regex -- they are what is looked for
const UNSAFE_IN_JSON = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Opens the terminal of this process. A reader that goes away ends nothing by itself. */
export function openTerminal({ isJson }: { readonly isJson: boolean }): Terminal {
  const { stdout, stderr } = process;
  const closed = new AbortController();
  for (const stream of [stdout, stderr]) {
    stream.on('error', () => {
      if (stream === stdout) closed.abort();
    });
  }
  const isWatched = stderr.isTTY && !isJson;
  let hasProgress = false;
  let lastProgress = 0;
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (hasProgress) stderr.write(CLEAR_LINE);
    hasProgress = false;
    if (stream !== stdout || !closed.signal.aborted) stream.write(`${text}\n`);
  };
  const bold = (text: string): string => styleText('bold', text, { stream: stdout });
  return {
    isJson,
    isWatched,
    closed: closed.signal,
    line: (text) => write(stdout, text),
    json: (value) => write(stdout, safeJson(value)),
    table(head, rows) {
      write(stdout, drawTable(head, rows, { isBordered: stdout.isTTY, emphasise: bold }));
    },
    note: (text) => write(stderr, text),
    error(error) {
      const { code, message, hint } = known(error);
      if (isJson) return write(stderr, safeJson({ error: { code, message, hint } }));
      const label = styleText('red', `error ${code}:`, { stream: stderr });
      write(stderr, `${label} ${printable(message, 2000)}\n  ${printable(hint, 2000)}`);
    },
    progress(text) {
      if (!isWatched) return;
      const now = performance.now();
      if (text !== undefined && hasProgress && now - lastProgress < PROGRESS_MS) return;
      lastProgress = now;
      if (text !== undefined) stderr.write(`${CLEAR_LINE}${text}`);
      else if (hasProgress) stderr.write(CLEAR_LINE);
      hasProgress = text !== undefined;
    },
  };
}

/** JSON text that no terminal takes for more than text. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE_IN_JSON,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

interface Shown {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** An error that is none of ours is a fault of this program; its text is all there is to find it by. */
function known(error: unknown): Shown {
  if (error instanceof SignalboxError) return error;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal', message, hint: 'This is a fault of Signalbox: please report it' };
}
