import type { Exchange } from '../exchange.ts';
import type { PayloadSeal } from '../payload-seal.ts';
import type { RecordFilter } from '../record-filter.ts';
import type { Records } from '../records.ts';
import type { ExportFormat } from './export-formats.ts';
import type { ByteSink, ExportedRecord, RecordWriter } from './exported-record.ts';

/** What is exported, and how. */
export interface ExportOrder {
  readonly filter: RecordFilter;
  readonly format: ExportFormat;
  /** With what hooks were given, where that was kept. */
  readonly seal?: PayloadSeal | undefined;
  readonly signal: AbortSignal;
}

/** Rows that are read at a time: what is in memory does not grow with what is exported. */
const PAGE_ROWS = 500;

/** Fewer of them where each may bring a payload. */
const PAGE_ROWS_WITH_PAYLOADS = 20;

/** Writes records to a sink, oldest first, page by page; how many. Those that come meanwhile may be among them. */
export async function exportRecords(
  records: Pick<Records, 'query' | 'exchanges'>,
  sink: ByteSink,
  { filter, format, seal, signal }: ExportOrder,
): Promise<number> {
  const writer = await openWriter(format, sink, seal !== undefined);
  const limit = seal === undefined ? PAGE_ROWS : PAGE_ROWS_WITH_PAYLOADS;
  let count = 0;
  let before: string | undefined;
  do {
    const page = await records.query({ ...filter, order: 'oldest', limit, before });
    const ids = page.records.map(({ id }) => id);
    const kept =
      seal === undefined ? new Map<string, Exchange>() : await records.exchanges(ids, seal);
    await writer.write(
      page.records.map((record): ExportedRecord => {
        const exchange = kept.get(record.id);
        return exchange === undefined ? record : { ...record, exchange };
      }),
    );
    count += page.records.length;
    before = page.next;
  } while (before !== undefined && !signal.aborted);
  await writer.end();
  return count;
}

/** The libraries of a format are loaded for it alone. */
async function openWriter(
  format: ExportFormat,
  sink: ByteSink,
  hasPayloads: boolean,
): Promise<RecordWriter> {
  switch (format) {
    case 'jsonl':
      return (await import('./jsonl.ts')).createJsonlWriter(sink);
    case 'csv':
      return (await import('./csv.ts')).createCsvWriter(sink, hasPayloads);
    case 'parquet':
      return (await import('./parquet.ts')).createParquetWriter(sink, hasPayloads);
  }
}
