import type { Kysely } from 'kysely';

/** The query builder over {@link Tables}. Only `src/sql` builds queries. */
export type QueryBuilder = Kysely<Tables>;

/** Every table, by name, with the columns as SQLite returns them. */
export interface Tables {
  readonly store_rows: StoreRowTable;
  readonly store_staging: StagingTable;
  readonly decisions: DecisionTable;
  readonly decision_payloads: DecisionPayloadTable;
  readonly uses: UseTable;
  readonly grant_changes: GrantChangeTable;
  readonly mode_changes: ModeChangeTable;
  readonly reloads: ReloadTable;
  readonly operator_acts: OperatorActTable;
  readonly approvals: ApprovalTable;
  readonly approval_rules: ApprovalRuleTable;
  readonly spend: SpendTable;
  readonly messages: MessageTable;
}

/** The rows of the store: JSON text by collection and key. */
export interface StoreRowTable {
  readonly collection: string;
  readonly key: string;
  readonly text: string;
}

/** Rows of a load that is not finished; a temporary table, so a crash leaves nothing behind. */
export interface StagingTable {
  readonly load: string;
  readonly key: string;
  readonly text: string;
}

/** What hooks did: one row per non-neutral decision and per failure. Booleans are 0 or 1. */
export interface DecisionTable {
  readonly seq: number;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly fire_id: string | null;
  readonly point: string;
  readonly hook: string;
  readonly package: string | null;
  readonly version: string | null;
  readonly action: string;
  readonly code: string | null;
  readonly reason: string | null;
  readonly duration_ms: number;
  readonly session_id: string | null;
  readonly turn_id: string | null;
  readonly tool_call_id: string | null;
  readonly would_block: number;
  readonly role: string | null;
}

/** What hooks that decided were given and answered, encrypted; only where the operator asked for it. */
export interface DecisionPayloadTable {
  readonly seq: number;
  readonly decision_id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly sealed: Uint8Array;
}

/** How often a capability was used, by day. `scope` is empty for a use without one. */
export interface UseTable {
  readonly package: string;
  readonly hook: string;
  readonly capability: string;
  readonly scope: string;
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly count: number;
}

/** Calls that a person is asked about. `content` is encrypted and gone once settled; `mac` signs the other columns. */
export interface ApprovalTable {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Until when it can be answered; once granted, until when it can be used. */
  readonly expires: number;
  readonly point: string;
  readonly hook: string;
  readonly tool_name: string | null;
  readonly session_id: string | null;
  readonly turn_id: string | null;
  readonly tool_call_id: string | null;
  readonly hash: string;
  readonly rule: string;
  readonly default_answer: string;
  readonly status: string;
  readonly answered_by: string | null;
  readonly mac: string;
  readonly content: string | null;
}

/** What a person allowed for the rest of a session. */
export interface ApprovalRuleTable {
  readonly session_id: string;
  readonly rule: string;
  readonly mac: string;
}

/** What was spent of a budget, and the highest threshold that was told. */
export interface SpendTable {
  readonly layer: string;
  readonly name: string;
  readonly spent: number;
  readonly told: number;
}

/** The messages of a session of the agent loop, in the order of `seq`. */
export interface MessageTable {
  readonly seq: number;
  readonly id: string;
  readonly session_id: string;
  readonly time: number;
  /** JSON. */
  readonly text: string;
  /** Whether a summary stands for it. */
  readonly is_evicted: number;
}

/** What operators took from hooks while they ran, and gave back. */
export interface GrantChangeTable {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly by: string;
  readonly action: string;
  /** Name of a hook or package. */
  readonly target: string;
  /** JSON text of a list. */
  readonly capabilities: string;
}

/** Hooks that operators put into shadow mode or out of it while they ran. */
export interface ModeChangeTable {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly by: string;
  readonly hook: string;
  readonly mode: string;
  /** What runtime.json said of the hook then. */
  readonly base: string;
  readonly reason: string | null;
  /** Kind and name of where the hook came from; `null` in rows of before that was kept. */
  readonly origin: string | null;
}

/** Configurations that were taken over while the runtime ran, or refused. */
export interface ReloadTable {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly by: string;
  /** `applied` or `refused`. */
  readonly outcome: string;
  /** JSON text: what changed, or why it was refused. */
  readonly detail: string;
}

/** What else operators did while the runtime ran. */
export interface OperatorActTable {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly by: string;
  readonly act: string;
  /** Name of a hook. */
  readonly target: string;
  readonly detail: string;
}
