import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { SignalboxError } from '../../../sdk/errors.ts';
import type { ExportFormat } from '../../records/export/export-formats.ts';
import { exportRecords } from '../../records/export/export-records.ts';
import type { ByteSink } from '../../records/export/exported-record.ts';
import type { RecordFilter } from '../../records/record-filter.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { sealOf, withRecords } from './open-records.ts';

/** Options of `signalbox records export`. */
export interface RecordExportFlags extends RecordFilter {
  readonly format: ExportFormat;
  /** Standard output, if absent. */
  readonly out?: string;
  readonly withPayloads?: boolean;
}

/** Writes records to a file or to standard output, oldest first. */
export async function runRecordExport(session: Session, flags: RecordExportFlags): Promise<number> {
  const { terminal, signal } = session;
  const { format, out, withPayloads, ...filter } = flags;
  return withRecords(session, async ({ config, records }) => {
    const seal = withPayloads === true ? sealOf(config) : undefined;
    const stop = AbortSignal.any(out === undefined ? [signal, terminal.closed] : [signal]);
    const write = (sink: ByteSink): Promise<number> =>
      exportRecords(records, sink, { filter, format, seal, signal: stop });
    const count =
      out === undefined ? await toStandardOutput(write, stop) : await toFile(out, write, signal);
    const what = `${count} ${count === 1 ? 'record' : 'records'}`;
    if (!terminal.isJson) terminal.note(out === undefined ? what : `${what} in "${out}"`);
    return signal.aborted ? EXIT.interrupted : EXIT.ok;
  });
}

type Writing = (sink: ByteSink) => Promise<number>;

async function toStandardOutput(write: Writing, stop: AbortSignal): Promise<number> {
  const sink = sinkOf(process.stdout);
  return write(async (bytes) => {
    try {
      if (!stop.aborted) await sink(bytes);
    } catch (error) {
      // A reader that went away has what it wanted.
      if (!stop.aborted) throw error;
    }
  });
}

/** A file stands under its name once it is whole. */
async function toFile(file: string, write: Writing, signal: AbortSignal): Promise<number> {
  const draft = `${file}.part`;
  // What is in records is not for everybody.
  const stream = createWriteStream(draft, { mode: 0o600 });
  try {
    await once(stream, 'open');
    const count = await write(sinkOf(stream));
    stream.end();
    await once(stream, 'close');
    if (signal.aborted) await rm(draft, { force: true });
    else await rename(draft, file);
    return count;
  } catch (error) {
    stream.destroy();
    await rm(draft, { force: true });
    if (error instanceof SignalboxError) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new SignalboxError('file_unwritable', { file, detail: code });
  }
}

function sinkOf(stream: Writable): ByteSink {
  return async (bytes) => {
    if (stream.errored !== null) throw stream.errored;
    if (stream.write(bytes)) return;
    const isOver = new AbortController();
    const { signal } = isOver;
    try {
      // A stream that breaks while it is full drains no more.
      await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
    } finally {
      isOver.abort();
    }
  };
}
