import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino, type DestinationStream, type Logger } from 'pino';
import { SignalboxError } from '../sdk/errors.ts';
import type { RecordInput } from './records/record.ts';
import { createScrubber, plainId, scrubText, type KeptText, type Scrub } from './records/scrub.ts';

/** How much is logged. Decisions are at `warn` when something was stopped or failed, else at `info`. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Settings of the log; each has a default. */
export interface LogOptions {
  /** `info`. */
  readonly level?: LogLevel | undefined;
  /** A file, or a stream that the caller closes; standard error, if absent. */
  readonly destination?: string | NodeJS.WritableStream | undefined;
  /** Lines for people instead of JSON. */
  readonly pretty?: boolean | undefined;
  /** What is kept of reasons; `scrubbed`. */
  readonly reasons?: KeptText | undefined;
}

/** Values that a line may carry beside its event: names, counts and times, never payloads. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The log. Its lines are JSON objects with `level`, `time`, `event` and the fields of the event. */
export interface Log {
  /** One `guardrail_decision` for a non-neutral decision or a failure. */
  decision(record: RecordInput): void;
  /** One line for an error that stops nothing, named by its code: `hook_skipped`, `hook_name_conflict` … */
  problem(error: SignalboxError): void;
  info(event: string, fields?: LogFields): void;
  /** Resolves when every line before it is written. */
  close(): Promise<void>;
}

/** Opens a log. The caller closes it. */
export function createLogger(options: LogOptions = {}): Log {
  const { level = 'info', pretty = false, reasons = 'scrubbed' } = options;
  const scrub = createScrubber(reasons);
  const target = openDestination(options.destination);
  const stream = pretty ? prettyStream(target.stream) : target.stream;
  const settings = {
    level,
    base: null,
    timestamp: createTimestamps(),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // A second net: no line here has these keys, and none shall ever show them.
  const redact = { paths: [...REDACTED], censor: '[redacted]' };
  const logger: Logger = pino({ ...settings, redact }, stream);
  // Their lines are made of a list of keys without any of these; the net costs as much as a row of the database.
  const decisions: Logger = pino(settings, stream);
  return {
    decision(record) {
      const line = decisionLine(record, scrub);
      if (record.code !== undefined || STOPPED.has(record.action)) decisions.warn(line);
      else decisions.info(line);
    },
    problem: (error) =>
      logger.warn({
        event: error.code,
        message: plainText(error.message),
        hint: plainText(error.hint),
      }),
    info: (event, fields = {}) => logger.info({ event, ...fields }),
    close: target.close,
  };
}

/** Pino's `isoTime`, which many lines of one millisecond share. */
function createTimestamps(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) text = `,"time":"${new Date((last = now)).toISOString()}"`;
    return text;
  };
}

const REDACTED = [
  'payload',
  'args',
  'result',
  'text',
  'content',
  'value',
  'token',
  'secret',
  'authorization',
].flatMap((key) => [key, `*.${key}`]);

const STOPPED: ReadonlySet<RecordInput['action']> = new Set(['block', 'ask', 'suppress', 'rework']);

// Field by field, so that a record that holds more than its type says does not leak it.
function decisionLine(record: RecordInput, scrub: Scrub): LogFields {
  const id = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : plainId(text);
  return {
    event: 'guardrail_decision',
    point: record.point,
    hook: plainId(record.hook),
    package: id(record.package),
    version: id(record.version),
    action: record.action,
    code: record.code,
    reason: record.reason === undefined ? undefined : scrub(record.reason),
    durationMs: Math.round(record.durationMs * 1000) / 1000,
    session: id(record.sessionId),
    turn: id(record.turnId),
    toolCall: id(record.toolCallId),
    fire: id(record.fireId),
    wouldBlock: record.wouldBlock,
    role: record.role,
  };
}

/** Errors name files and hooks, and their details may quote what a hook wrote. */
function plainText(text: string): string {
  return scrubText(text, 'full') ?? '';
}

interface Destination {
  readonly stream: DestinationStream;
  readonly close: () => Promise<void>;
}

function openDestination(destination: LogOptions['destination']): Destination {
  if (destination !== undefined && typeof destination !== 'string') {
    return { stream: { write: (line) => void destination.write(line) }, close: async () => {} };
  }
  if (destination !== undefined) checkWritable(destination);
  // Not synchronous: a terminal or pipe that nobody reads must not stop the calls that are logged.
  const stream = pino.destination({ dest: destination ?? 2, sync: false });
  // A reader that went away (EPIPE) ends the log, not the guard.
  stream.on('error', () => {});
  let isOpen = true;
  return {
    stream: { write: (line) => void (isOpen && stream.write(line)) },
    close() {
      isOpen = false;
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, CLOSE_MS);
        stream.once('close', () => {
          clearTimeout(timer);
          resolve();
        });
        stream.end();
      });
    },
  };
}

/** What a reader that does not read may cost at the end. */
const CLOSE_MS = 1000;

function checkWritable(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const detail = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new SignalboxError('file_unwritable', { file, detail });
  }
}

/** Turns each line of JSON into `time LEVEL event key=value …`. */
function prettyStream(target: DestinationStream): DestinationStream {
  return {
    write(line) {
      const { level, time, event, ...fields } = JSON.parse(line) as Record<string, unknown>;
      const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
      const label = String(level).toUpperCase().padEnd(5);
      target.write(`${String(time).slice(11, 23)} ${label} ${String(event)}${rest.join('')}\n`);
    },
  };
}
