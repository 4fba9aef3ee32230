import { loadConfig } from '../../config/load-config.ts';
import { openDatabase } from '../../sql/database.ts';
import { openOperatorRows } from '../../sql/operator-rows.ts';
import type { ReloadTable } from '../../sql/tables.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** Lists the reloads that were taken over and refused, newest first, with who asked for each. */
export async function runReloadList(session: Session): Promise<number> {
  const { terminal } = session;
  const { records } = await loadConfig(session.config);
  const database = await openDatabase(records.file);
  try {
    const rows = await openOperatorRows(database).reloads();
    if (terminal.isJson) terminal.json(rows.map(shown));
    else if (rows.length === 0) terminal.line('Nothing was reloaded.');
    else {
      terminal.table(
        ['time', 'outcome', 'by', 'what'],
        rows.map((row) => [timeOf(row).slice(0, 19), row.outcome, row.by, summaryOf(row)]),
      );
    }
    return EXIT.ok;
  } finally {
    await database.close();
  }
}

function shown(row: ReloadTable): object {
  const { by, outcome } = row;
  return { time: timeOf(row), by, outcome, ...detailOf(row) };
}

function timeOf({ time }: ReloadTable): string {
  return new Date(time).toISOString();
}

/** Written by the reloader alone: what changed, or the code and the message of a refusal. */
interface Detail {
  readonly changed?: readonly { readonly name: string; readonly change: string }[];
  readonly code?: string;
  readonly detail?: string;
}

function detailOf({ detail }: ReloadTable): Detail {
  return JSON.parse(detail) as Detail;
}

function summaryOf(row: ReloadTable): string {
  const { changed = [], code, detail = '' } = detailOf(row);
  if (code !== undefined) return `${code}: ${detail}`;
  const names = changed.map(({ name, change }) => `${name} ${change}`);
  return names.length === 0 ? 'nothing changed' : names.join(', ');
}
