import { stringify } from 'csv-stringify/sync';
import { RECORD_COLUMNS, type ByteSink, type RecordWriter } from './exported-record.ts';

/**
 * Writes CSV with a head, lines ended as RFC 4180 says. A text that a spreadsheet would run gets an apostrophe in front:
 * reasons and names are texts of others. https://owasp.org/www-community/attacks/CSV_Injection
 */
export function createCsvWriter(sink: ByteSink, hasPayloads: boolean): RecordWriter {
  const head = hasPayloads ? [...RECORD_COLUMNS, 'exchange'] : RECORD_COLUMNS;
  let isStarted = false;
  const write = async (rows: readonly (readonly unknown[])[]): Promise<void> => {
    const whole = isStarted ? rows : [head, ...rows];
    isStarted = true;
    if (whole.length > 0) await sink(stringify([...whole], OPTIONS));
  };
  return {
    write: (records) =>
      write(
        records.map(({ exchange, ...record }) => {
          const cells = RECORD_COLUMNS.map((column) => record[column] ?? '');
          return hasPayloads
            ? [...cells, exchange === undefined ? '' : JSON.stringify(exchange)]
            : cells;
        }),
      ),
    end: () => (isStarted ? Promise.resolve() : write([])),
  };
}

const OPTIONS = {
  record_delimiter: 'windows',
  escape_formulas: true,
  cast: { boolean: String },
} as const;
