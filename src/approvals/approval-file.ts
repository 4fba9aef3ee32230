import type { ApprovalChange, ApprovalRows } from '../sql/approval-rows.ts';
import type { ApprovalTable } from '../sql/tables.ts';
import type { ApprovalStatus, ApprovalSummary, Question } from './approval.ts';
import type { Seal } from './seal.ts';

/** What is kept encrypted of an approval. */
export type Content = Omit<Question, 'point' | 'hook'> & { readonly note?: string };

/** The columns that the signature covers: all but itself and the content, which its own encryption protects. */
export function signedParts(
  row: Omit<ApprovalTable, 'mac' | 'content'>,
): (string | number | null)[] {
  return [
    row.id,
    row.created,
    row.expires,
    row.point,
    row.hook,
    row.tool_name,
    row.session_id,
    row.turn_id,
    row.tool_call_id,
    row.hash,
    row.rule,
    row.default_answer,
    row.status,
    row.answered_by,
  ];
}

/** What an answer or a use changes of an approval. */
export interface Transition {
  readonly status: ApprovalStatus;
  readonly by: string | null;
  readonly expires?: number;
  /** What stays of it; nothing, if absent. */
  readonly content?: Content | undefined;
}

/** Writes a change of an approval under a new signature; whether it was still as it had been read. */
export async function advance(
  { rows, seal }: { readonly rows: ApprovalRows; readonly seal: Seal },
  row: ApprovalTable,
  { status, by, expires = row.expires, content }: Transition,
): Promise<boolean> {
  const next = { ...row, status, expires, answered_by: by };
  const change: ApprovalChange = {
    status,
    expires,
    answered_by: by,
    mac: seal.sign(signedParts(next)),
    content: content === undefined ? null : seal.encrypt(row.id, JSON.stringify(content)),
  };
  return rows.change(row, change);
}

/** The content of a row; `undefined` once it is gone, or when it is not ours. */
export function contentOf(seal: Seal, { id, content }: ApprovalTable): Content | undefined {
  const text = content === null ? undefined : seal.decrypt(id, content);
  // Only what was encrypted under our key and for this row opens.
  return text === undefined ? undefined : (JSON.parse(text) as Content);
}

/** The status as of now: what was not answered or used in time is over. */
export function statusOf(seal: Seal, row: ApprovalTable, now: number): ApprovalStatus {
  if (!seal.verify(signedParts(row), row.mac)) return 'forged';
  const status = row.status as ApprovalStatus;
  return (status === 'pending' || status === 'granted') && row.expires < now ? 'expired' : status;
}

/** What is shown of a row. */
export function summaryOf(seal: Seal, row: ApprovalTable, now: number): ApprovalSummary {
  return {
    id: row.id,
    status: statusOf(seal, row, now),
    point: row.point,
    hook: row.hook,
    hash: row.hash,
    createdAt: new Date(row.created).toISOString(),
    expiresAt: new Date(row.expires).toISOString(),
    ...(row.tool_name !== null && { toolName: row.tool_name }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.turn_id !== null && { turnId: row.turn_id }),
    ...(row.tool_call_id !== null && { toolCallId: row.tool_call_id }),
    ...(row.answered_by !== null && { answeredBy: row.answered_by }),
  };
}
