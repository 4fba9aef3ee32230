import type { DecisionRecord } from '../../records/record.ts';
import { printable } from '../../config/printable.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { sealOf, withRecords } from './open-records.ts';

/** Options of `signalbox records show`. */
export interface RecordShowFlags {
  /** With what the hook was given, where that was kept. */
  readonly payload?: boolean;
}

/** Shows one record, and what other hooks did in the same fire. */
export async function runRecordShow(
  session: Session,
  id: string,
  flags: RecordShowFlags,
): Promise<number> {
  const { terminal } = session;
  return withRecords(session, async ({ config, records }) => {
    const record = await records.find(id);
    const { fireId } = record;
    const fire = fireId === undefined ? [] : (await records.query({ fire: fireId })).records;
    const siblings = fire.filter((other) => other.id !== id);
    const kept = flags.payload === true ? await records.exchanges([id], sealOf(config)) : undefined;
    const exchange = kept?.get(id);
    if (terminal.isJson) {
      terminal.json({ record, siblings, ...(exchange !== undefined && { exchange }) });
      return EXIT.ok;
    }
    for (const line of linesOf(record)) terminal.line(line);
    for (const other of siblings) {
      const { action, hook, code } = other;
      terminal.line(`beside it   ${printable(`${hook}: ${action} ${code ?? ''}`)}  ${other.id}`);
    }
    if (exchange !== undefined) terminal.json(exchange);
    else if (flags.payload === true) terminal.note('Nothing is kept of what the hook was given.');
    return EXIT.ok;
  });
}

function linesOf(record: DecisionRecord): string[] {
  return Object.entries(record).map(
    ([name, value]) => `${name.padEnd(11)} ${printable(String(value), 2000)}`,
  );
}
