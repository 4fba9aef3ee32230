import type { Database } from './database.ts';
import { statementOf } from './dialect.ts';
import type { ApprovalRuleTable, ApprovalTable } from './tables.ts';

/** What a change of an approval sets. */
export type ApprovalChange = Pick<
  ApprovalTable,
  'status' | 'expires' | 'answered_by' | 'mac' | 'content'
>;

/** Which approvals a list holds; newest first. */
export interface ApprovalFilter {
  readonly status?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly limit: number;
}

/** The queries of approvals. */
export interface ApprovalRows {
  insert(row: ApprovalTable): Promise<void>;
  get(id: string): Promise<ApprovalTable | undefined>;
  list(filter: ApprovalFilter): Promise<readonly ApprovalTable[]>;
  /** Changes a row that is still as it was read; whether it was. Two that change it at once cannot both. */
  change(before: ApprovalTable, change: ApprovalChange): Promise<boolean>;
  /** Takes the content of what is over by its time. */
  forgetExpired(now: number): Promise<void>;
  remember(rule: ApprovalRuleTable): Promise<void>;
  rule(sessionId: string, rule: string): Promise<ApprovalRuleTable | undefined>;
}

/** The largest payload, encrypted and as text. */
const ROW_BYTES = 64 * 1024 * 1024;

const COLUMNS = [
  'id',
  'created',
  'expires',
  'point',
  'hook',
  'tool_name',
  'session_id',
  'turn_id',
  'tool_call_id',
  'hash',
  'rule',
  'default_answer',
  'status',
  'answered_by',
  'mac',
] as const satisfies readonly (keyof ApprovalTable)[];

/** Binds the queries to a database. */
export function openApprovalRows(database: Database): ApprovalRows {
  const { builder } = database;
  return {
    async insert(row) {
      await database.run(statementOf(builder.insertInto('approvals').values(row).compile()));
    },
    async get(id) {
      const query = builder.selectFrom('approvals').selectAll().where('id', '=', id);
      const { rows } = await database.run(statementOf(query.compile()), { maxBytes: ROW_BYTES });
      // The columns are those of the table.
      return rows[0] as ApprovalTable | undefined;
    },
    async list({ status, sessionId, limit }) {
      // Without the contents, which may be large.
      let query = builder.selectFrom('approvals').select([...COLUMNS]);
      if (status !== undefined) query = query.where('status', '=', status);
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
      const rows = await query.orderBy('created', 'desc').orderBy('id').limit(limit).execute();
      return rows.map((row) => ({ ...row, content: null }));
    },
    async change(before, change) {
      const query = builder
        .updateTable('approvals')
        .set(change)
        .where('id', '=', before.id)
        .where('status', '=', before.status)
        .where('mac', '=', before.mac);
      return (await database.run(statementOf(query.compile()))).changes === 1;
    },
    async forgetExpired(now) {
      const query = builder
        .updateTable('approvals')
        .set({ content: null })
        .where('status', 'in', ['pending', 'granted', 'denied'])
        .where('expires', '<', now);
      await database.run(statementOf(query.compile()));
    },
    async remember(rule) {
      const query = builder
        .insertInto('approval_rules')
        .values(rule)
        .onConflict((row) => row.columns(['session_id', 'rule']).doUpdateSet({ mac: rule.mac }));
      await database.run(statementOf(query.compile()));
    },
    rule: (sessionId, rule) =>
      builder
        .selectFrom('approval_rules')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where('rule', '=', rule)
        .executeTakeFirst(),
  };
}
