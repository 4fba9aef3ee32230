import { createAccessRules } from '../access/access-rules.ts';
import { openApprovalOffice } from '../approvals/approval-office.ts';
import type { Approvals, ApprovalSummary, ApprovalView } from '../approvals/approval.ts';
import { openBudgets } from '../budgets/budgets.ts';
import { loadConfig } from '../config/load-config.ts';
import { createLogger } from '../log.ts';
import { buildCatalog } from '../packages/build-catalog.ts';
import { openRecords } from '../records/records.ts';
import { openDatabase } from '../sql/database.ts';
import { EXIT } from './exit-code.ts';
import { questionLines } from './question-lines.ts';
import type { Session } from './session.ts';

/** Options of `signalbox approvals list`. */
export interface ApprovalListFlags {
  /** Settled ones too. */
  readonly all?: boolean;
}

/** Options of an answer. */
export interface AnswerFlags {
  /** Goes to the model. */
  readonly note?: string;
  /** For the rest of the session. */
  readonly always?: boolean;
}

/** Lists the questions that are open, or all. */
export async function runApprovalList(session: Session, flags: ApprovalListFlags): Promise<number> {
  const { terminal } = session;
  return withApprovals(session, async (approvals) => {
    const listed = await approvals.list(flags.all === true ? {} : { status: 'pending' });
    const rows = listed.filter(({ status }) => flags.all === true || status === 'pending');
    if (terminal.isJson) for (const row of rows) terminal.json(row);
    else if (rows.length === 0) terminal.line('Nothing waits for an answer.');
    else terminal.table(['id', 'status', 'hook', 'about', 'session', 'until'], rows.map(cellsOf));
    return EXIT.ok;
  });
}

/** Shows one question: what would run, and what hooks changed in it. */
export async function runApprovalShow(session: Session, id: string): Promise<number> {
  const { terminal } = session;
  return withApprovals(session, async (approvals) => {
    const view = await approvals.show(id);
    if (terminal.isJson) terminal.json(view);
    else for (const line of linesOf(view)) terminal.line(line);
    return EXIT.ok;
  });
}

/** Grants a question, once or for the rest of its session. */
export async function runApprove(
  session: Session,
  id: string,
  flags: AnswerFlags,
): Promise<number> {
  return withApprovals(session, async (approvals) =>
    tell(session, await approvals.approve(id, { ...flags, by: 'command line' })),
  );
}

/** Denies a question. */
export async function runDeny(
  session: Session,
  id: string,
  { note }: AnswerFlags,
): Promise<number> {
  return withApprovals(session, async (approvals) =>
    tell(session, await approvals.deny(id, { note, by: 'command line' })),
  );
}

function tell({ terminal }: Session, summary: ApprovalSummary): number {
  if (terminal.isJson) terminal.json(summary);
  else terminal.line(`${summary.id} is ${summary.status}`);
  return EXIT.ok;
}

function cellsOf(row: ApprovalSummary): readonly string[] {
  const about = row.toolName ?? row.point;
  return [row.id, row.status, row.hook, about, row.sessionId ?? '', row.expiresAt];
}

function linesOf({ question, ...summary }: ApprovalView): readonly string[] {
  const head = `${summary.id}: ${summary.status}, ${summary.hook} at ${summary.point}, until ${summary.expiresAt}`;
  return question === undefined ? [head] : [head, ...questionLines(question)];
}

/** No sandbox is started: what is answered lies in the database. */
async function withApprovals<T>(
  { config: file }: Session,
  use: (approvals: Approvals) => Promise<T>,
): Promise<T> {
  const config = await loadConfig(file);
  const database = await openDatabase(config.records.file);
  const records = openRecords(database, { reasons: config.records.reasons });
  const log = createLogger({ level: 'silent' });
  try {
    const rules = async () => ({
      access: createAccessRules(config.access),
      budgets: openBudgets(database, config.budgets),
      catalog: await buildCatalog(config),
    });
    const { folder } = config;
    return await use(openApprovalOffice({ folder, database, records, log, rules }));
  } finally {
    await records.close();
    await database.close();
    await log.close();
  }
}
