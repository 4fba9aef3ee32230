import type { DecisionRecord } from '../../records/record.ts';
import type { RecordFilter } from '../../records/record-filter.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import type { Cell } from '../table.ts';
import { withRecords } from './open-records.ts';

/** Options of `signalbox records list`. */
export interface RecordListFlags extends RecordFilter {
  readonly limit?: number;
  readonly before?: string;
}

/** Lists records, newest first. */
export async function runRecordList(session: Session, flags: RecordListFlags): Promise<number> {
  const { terminal } = session;
  const page = await withRecords(session, ({ records }) => records.query({ limit: 50, ...flags }));
  if (terminal.isJson) {
    terminal.json(page);
    return EXIT.ok;
  }
  if (page.records.length === 0) terminal.line('No record fits.');
  else terminal.table(HEAD, page.records.map(cellsOf));
  if (page.next !== undefined) terminal.note(`There may be more: --before ${page.next}`);
  return EXIT.ok;
}

const HEAD = ['id', 'time', 'point', 'hook', 'action', 'code', 'reason', 'session'];

function cellsOf(record: DecisionRecord): Cell[] {
  const { id, time, point, hook, action, code, reason, sessionId, wouldBlock } = record;
  const done = code === 'shadow' || wouldBlock ? `would ${action}` : action;
  return [id, time.slice(0, 23), point, hook, done, code ?? '', reason ?? '', sessionId ?? ''];
}
