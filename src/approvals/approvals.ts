import { randomBytes } from 'node:crypto';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Point } from '../../sdk/points.ts';
import type { Payload } from '../chain/call.ts';
import type { RecordInput } from '../records/record.ts';
import { openApprovalRows } from '../sql/approval-rows.ts';
import type { Database } from '../sql/database.ts';
import type { ApprovalTable } from '../sql/tables.ts';
import type { Context, RuntimeCode, Verdict } from '../verdict.ts';
import { advance, contentOf, signedParts, statusOf, summaryOf } from './approval-file.ts';
import type { Approvals, ApprovalSummary, Answer, Question } from './approval.ts';
import { kindOfAnswer } from './answers.ts';
import { digestOf, hashOf } from './canonical.ts';
import { createRedeem } from './redeem.ts';
import { openSeal, type Seal } from './seal.ts';
import { createWait } from './wait.ts';

/** What approvals are kept with. */
export interface ApprovalParts {
  readonly database: Database;
  /** The file of the key that signs and encrypts; it is created at the first use. */
  readonly keyFile: string;
  readonly record: (record: RecordInput) => Promise<void>;
  /** Why a granted call must not run after all. */
  readonly recheck: Recheck;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Holds a granted call against what may have changed since it was asked about. */
export type Recheck = (
  call: GrantedCall,
) => Promise<
  { readonly code: 'access' | 'budget' | 'untrusted'; readonly reason: string } | undefined
>;

/** A call that a person agreed to and that is about to run. */
export interface GrantedCall {
  readonly point: Point;
  readonly payload: Payload;
  readonly context: Context;
  /** Those that asked, or changed what was shown. */
  readonly hooks: readonly string[];
}

/** The approvals, for whoever asks as well. */
export interface ApprovalDesk extends Approvals {
  /** Parks a question. What a person allowed for the whole session is granted at once. */
  ask(question: Question): Promise<NonNullable<Verdict['approval']>>;
}

/** How long a grant can be used once it is given. */
const GRANT_MS = 300_000;

/** Opens the approvals of a database. It has nothing to close. */
export function openApprovals({
  database,
  keyFile,
  record,
  recheck,
  now,
}: ApprovalParts): ApprovalDesk {
  const rows = openApprovalRows(database);
  let opening: Promise<Seal> | undefined;
  // Not at the start: who is never asked needs no key. A failure is tried again.
  const seal = (): Promise<Seal> => {
    opening ??= openSeal(keyFile).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const note = (row: ApprovalTable, what: Noted): Promise<void> => record(recordOf(row, what));
  const read = async (id: string): Promise<ApprovalTable> => {
    const row = await rows.get(id);
    if (row === undefined) throw new SignalboxError('approval_unknown', { id: shown(id) });
    return row;
  };
  const waiting = createWait({ rows, seal, now, note, grantMs: GRANT_MS });

  async function answer(id: string, given: Answer): Promise<ApprovalSummary> {
    const { by = 'caller', note: words } = given;
    const [row, key] = [await read(id), await seal()];
    const status = statusOf(key, row, now());
    if (status !== 'pending') {
      await note(row, { action: 'block', code: REFUSED[status] ?? 'approval_replayed', by });
      throw new SignalboxError('approval_settled', { id, status });
    }
    const content = contentOf(key, row);
    if (content === undefined)
      throw new SignalboxError('approval_settled', { id, status: 'forged' });
    const kind = kindOfAnswer(given.answer);
    const isGrant = kind !== 'deny';
    // A denied call is over: its arguments go at once.
    const kept = isGrant ? content : { ...content, payload: {}, changes: [] };
    const isMoved = await advance({ rows, seal: key }, row, {
      status: isGrant ? 'granted' : 'denied',
      by,
      ...(isGrant && { expires: now() + GRANT_MS }),
      content: { ...kept, ...(words !== undefined && { note: words }) },
    });
    if (!isMoved) throw new SignalboxError('approval_settled', { id, status: 'answered' });
    if (kind === 'always' && content.canRemember && row.session_id !== null) {
      const { session_id, rule } = row;
      await rows.remember({ session_id, rule, mac: key.sign([session_id, rule]) });
    }
    await note(row, {
      action: isGrant ? 'allow' : 'block',
      code: isGrant ? undefined : 'approval_denied',
      by,
      words,
    });
    waiting.nudge(id);
    return summaryOf(key, await read(id), now());
  }

  async function isRemembered({ canRemember, context }: Question, rule: string): Promise<boolean> {
    const { sessionId } = context;
    if (!canRemember || sessionId === undefined) return false;
    const kept = await rows.rule(sessionId, rule);
    return kept !== undefined && (await seal()).verify([sessionId, rule], kept.mac);
  }

  return {
    async ask(question) {
      const key = await seal();
      const { point, hook, payload, context, prompt, reason } = question;
      const id = `apr_${randomBytes(18).toString('base64url')}`;
      const toolName = textOf(payload['toolName']);
      // The same question of the same hook about the same tool.
      const rule = digestOf({ point, hook, toolName, prompt, reason });
      const isGranted = await isRemembered(question, rule);
      const time = now();
      const { point: _p, hook: _h, ...content } = question;
      const bare = {
        id,
        created: time,
        expires: time + (isGranted ? GRANT_MS : question.timeoutMs),
        point,
        hook,
        tool_name: toolName,
        session_id: context.sessionId ?? null,
        turn_id: context.turnId ?? null,
        tool_call_id: textOf(payload['toolCallId']),
        hash: hashOf(point, payload),
        rule,
        default_answer: question.default,
        status: isGranted ? 'granted' : 'pending',
        answered_by: isGranted ? 'rule' : null,
      };
      await rows.forgetExpired(time);
      await rows.insert({
        ...bare,
        mac: key.sign(signedParts(bare)),
        content: key.encrypt(id, JSON.stringify(content)),
      });
      return { id, expiresAt: new Date(bare.expires).toISOString(), hash: bare.hash };
    },
    async list({ status, sessionId } = {}) {
      const found = await rows.list({ status, sessionId, limit: LIST_LIMIT });
      if (found.length === 0) return [];
      const [key, time] = [await seal(), now()];
      return found.map((row) => summaryOf(key, row, time));
    },
    async show(id) {
      const [row, key] = [await read(id), await seal()];
      const summary = summaryOf(key, row, now());
      const content = summary.status === 'pending' ? contentOf(key, row) : undefined;
      if (content === undefined) return summary;
      const { prompt, reason, options, payload, changes } = content;
      return { ...summary, question: { prompt, reason, options, payload, changes } };
    },
    answer,
    approve: (id, { always = false, ...rest } = {}) =>
      answer(id, { ...rest, answer: always ? 'allow always' : 'allow once' }),
    deny: (id, options = {}) => answer(id, { ...options, answer: 'deny' }),
    wait: waiting.wait,
    async recall(id, { sessionId, toolCallId }) {
      const [row, key] = [await rows.get(id), await seal()];
      if (row?.session_id !== sessionId || row.tool_call_id !== toolCallId) return undefined;
      const payload = contentOf(key, row)?.payload;
      return payload === undefined ? undefined : { hook: row.hook, payload };
    },
    redeem: createRedeem({ rows, seal, now, note, recheck }),
  };
}

/** What is recorded of an answer or of a use. */
export interface Noted {
  readonly action: 'allow' | 'block';
  readonly code?: RuntimeCode | 'untrusted' | undefined;
  readonly by: string;
  /** A person's own words. */
  readonly words?: string | undefined;
}

/** Rows of one list. */
const LIST_LIMIT = 1000;

const REFUSED: Partial<Record<string, RuntimeCode>> = {
  forged: 'approval_forged',
  expired: 'approval_expired',
};

function recordOf(row: ApprovalTable, { action, code, by, words }: Noted): RecordInput {
  return {
    // The row's own text: a point that this version does not know is still told.
    point: row.point as Point,
    hook: row.hook,
    action,
    code,
    reason: words ?? `${action === 'allow' ? 'Granted' : 'Refused'} by ${by}`,
    durationMs: 0,
    sessionId: row.session_id ?? undefined,
    turnId: row.turn_id ?? undefined,
    toolCallId: row.tool_call_id ?? undefined,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function shown(id: string): string {
  return id.slice(0, 64);
}
