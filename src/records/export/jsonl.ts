import type { ByteSink, RecordWriter } from './exported-record.ts';

/** Writes one line of JSON for each record. */
export function createJsonlWriter(sink: ByteSink): RecordWriter {
  return {
    async write(records) {
      if (records.length === 0) return;
      await sink(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    },
    end: () => Promise.resolve(),
  };
}
