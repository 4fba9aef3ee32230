import type { ApprovalRows } from '../sql/approval-rows.ts';
import type { ApprovalTable } from '../sql/tables.ts';
import { advance, contentOf, statusOf, type Content } from './approval-file.ts';
import type { Approvals, ApprovalStatus, Redemption, RefusalCode } from './approval.ts';
import type { Noted, Recheck } from './approvals.ts';
import { hashOf } from './canonical.ts';
import type { Seal } from './seal.ts';
import type { Point } from '../../sdk/points.ts';

/** What a use of a grant is made with. */
export interface RedeemParts {
  readonly rows: ApprovalRows;
  readonly seal: () => Promise<Seal>;
  readonly now: () => number;
  readonly note: (row: ApprovalTable, what: Noted) => Promise<void>;
  readonly recheck: Recheck;
}

type Refusal = readonly [code: RefusalCode, reason: string];

/** Why a status other than granted does not let a call run. */
const NOT_GRANTED = {
  pending: ['approval_pending', 'Nobody has answered yet'],
  denied: ['approval_denied', 'It was denied'],
  expired: ['approval_expired', 'Its time is over'],
  cancelled: ['approval_expired', 'It was taken back'],
  used: ['approval_replayed', 'It was used already'],
  forged: ['approval_forged', 'It was changed by something else than Signalbox'],
} as const satisfies Record<Exclude<ApprovalStatus, 'granted'>, Refusal>;

/** Makes the use of a grant: once, by its session, for exactly what was asked, if nothing came up against it. */
export function createRedeem(parts: RedeemParts): Approvals['redeem'] {
  const { rows, seal, now, note, recheck } = parts;
  return async (id, payload, { sessionId } = {}) => {
    const row = await rows.get(id);
    if (row === undefined) {
      return { ok: false, code: 'approval_unknown', reason: 'No such approval' };
    }
    const refuse = async ([code, reason]: Refusal): Promise<Redemption> => {
      // Asking too early is no attack.
      if (code !== 'approval_pending') await note(row, { action: 'block', code, by: 'redemption' });
      return { ok: false, code, reason };
    };
    const key = await seal();
    const status = statusOf(key, row, now());
    if (status !== 'granted') return refuse(NOT_GRANTED[status]);
    const content = contentOf(key, row);
    if (content === undefined) return refuse(NOT_GRANTED.forged);
    const isElsewhere = sessionId !== undefined && sessionId !== content.context.sessionId;
    if (isElsewhere || hashOf(row.point as Point, payload) !== row.hash) {
      return refuse(['approval_mismatch', 'It was given for another call']);
    }
    const objection = await recheck({
      point: row.point as Point,
      payload,
      context: content.context,
      hooks: [row.hook, ...content.changes.map(({ hook }) => hook)],
    });
    if (objection !== undefined) return refuse([objection.code, objection.reason]);
    // Of two that use it at once, one finds the row changed.
    const isFirst = await advance({ rows, seal: key }, row, {
      status: 'used',
      by: row.answered_by,
    });
    if (!isFirst) return refuse(NOT_GRANTED.used);
    return { ok: true, released: content.released, ...noteOf(content) };
  };
}

function noteOf({ note }: Content): { note?: string } {
  return note === undefined ? {} : { note };
}
