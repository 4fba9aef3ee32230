import { ByteWriter, ParquetWriter, type ColumnSource, type SchemaElement } from 'hyparquet-writer';
import {
  RECORD_COLUMNS,
  type ByteSink,
  type ExportedRecord,
  type RecordWriter,
} from './exported-record.ts';

/** Rows that are in memory at a time and make one row group; readers skip and parallelise by groups. */
const GROUP_ROWS = 10_000;

/** Bytes of payloads after which a group ends early. */
const GROUP_BYTES = 32 * 1024 * 1024;

/** Writes Parquet with snappy compression, one row group after the other. */
export function createParquetWriter(sink: ByteSink, hasPayloads: boolean): RecordWriter {
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(hasPayloads),
    createdBy: 'signalbox',
  });
  let group: ExportedRecord[] = [];
  let groupBytes = 0;

  /** What is in the writer's buffer goes out; its count of all bytes goes on. */
  const drain = async (): Promise<void> => {
    const written = bytes.getBytes().slice();
    bytes.index = 0;
    if (written.length > 0) await sink(written);
  };
  const writeGroup = async (): Promise<void> => {
    if (group.length === 0) return;
    await parquet.write({ columnData: columnsOf(group, hasPayloads), rowGroupSize: group.length });
    group = [];
    groupBytes = 0;
    await drain();
  };
  return {
    async write(records) {
      for (const record of records) {
        group.push(record);
        if (record.exchange !== undefined) groupBytes += JSON.stringify(record.exchange).length;
        if (group.length >= GROUP_ROWS || groupBytes >= GROUP_BYTES) await writeGroup();
      }
    },
    async end() {
      await writeGroup();
      await parquet.finish();
      await drain();
    },
  };
}

const NEEDED: ReadonlySet<string> = new Set([
  'id',
  'time',
  'point',
  'hook',
  'action',
  'durationMs',
  'wouldBlock',
]);

function schemaOf(hasPayloads: boolean): SchemaElement[] {
  const names = hasPayloads ? [...RECORD_COLUMNS, 'exchange'] : RECORD_COLUMNS;
  return [
    { name: 'root', num_children: names.length },
    ...names.map((name): SchemaElement => {
      const repetition = NEEDED.has(name) ? 'REQUIRED' : 'OPTIONAL';
      return { name, repetition_type: repetition, ...typeOf(name) };
    }),
  ];
}

function typeOf(name: string): Pick<SchemaElement, 'type' | 'converted_type'> {
  switch (name) {
    case 'time':
      return { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' };
    case 'durationMs':
      return { type: 'DOUBLE' };
    case 'wouldBlock':
      return { type: 'BOOLEAN' };
    case 'exchange':
      return { type: 'BYTE_ARRAY', converted_type: 'JSON' };
    default:
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  }
}

function columnsOf(records: readonly ExportedRecord[], hasPayloads: boolean): ColumnSource[] {
  // Indexes would be kept in memory until the end of the file.
  const columns: ColumnSource[] = RECORD_COLUMNS.map((name) => ({
    name,
    offsetIndex: false,
    data: records.map((record) =>
      name === 'time' ? new Date(record.time) : (record[name] ?? null),
    ),
  }));
  if (!hasPayloads) return columns;
  const data = records.map(({ exchange }) => exchange ?? null);
  return [...columns, { name: 'exchange', offsetIndex: false, data }];
}
