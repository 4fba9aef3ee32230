import { openActs } from '../../acts/acts.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { withRecords } from './open-records.ts';

/** Lists what operators changed while hooks ran, newest first, with who did. */
export async function runActList(
  session: Session,
  { limit }: { readonly limit: number },
): Promise<number> {
  const { terminal } = session;
  const acts = await withRecords(session, ({ database }) => openActs(database).list(limit));
  const rows = acts.map((act) => ({ ...act, time: new Date(act.time).toISOString() }));
  if (terminal.isJson) terminal.json({ acts: rows });
  else if (rows.length === 0) terminal.line('Nothing was changed while hooks ran.');
  else {
    terminal.table(
      ['time', 'by', 'act', 'hook or package', 'detail'],
      rows.map(({ time, by, act, target, detail }) => [time.slice(0, 19), by, act, target, detail]),
    );
  }
  return EXIT.ok;
}
