import { randomBytes } from 'node:crypto';
import type { Question } from '../approvals/approval.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import type { Payload } from '../chain/call.ts';
import type { ChainVerdict } from '../chain/chain.ts';
import type { Verdict } from '../verdict.ts';
import type { Objection } from './settlement.ts';

/** Ids that are unique across processes and cheap: a random start and a count. */
export function createIds(): () => string {
  const start = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${start}-${(count += 1)}`;
}

/** The verdict of a point without hooks: the payload is the caller's own. */
export function passingVerdict(id: string, payload: Payload): Verdict {
  return {
    id,
    action: 'allow',
    payload: typed(payload),
    isModified: false,
    inject: NONE,
    notices: NONE,
    outputs: NO_OUTPUTS,
    trace: NONE,
    notRun: NONE,
  };
}

/** Shared by all calls that nobody looks at: to make them anew takes as long as all the rest. */
const NONE = Object.freeze([]);
const NO_OUTPUTS = Object.freeze({});

/** The verdict of a chain, or the block that an objection makes of it. */
export function finalVerdict(
  id: string,
  chain: ChainVerdict,
  objection: Objection | undefined,
): Verdict {
  const whole = { id, ...chain, payload: typed(chain.payload) };
  return objection === undefined ? whole : { ...plain(whole), action: 'block', ...objection };
}

/** The verdict of a chain that waits for a person. */
export function parkedVerdict(
  id: string,
  chain: ChainVerdict,
  { question, approval }: { readonly question: Question; readonly approval?: Verdict['approval'] },
): Verdict {
  const whole = { id, ...chain, payload: typed(chain.payload) };
  const { hook, reason } = question;
  return {
    ...plain(whole),
    action: 'ask',
    hook,
    reason,
    ...(approval !== undefined && { approval }),
  };
}

/**
 * The verdict when the decision of a hook that is to fail closed could not be kept: what a failure of it would come to.
 * What stops the call already stands, and so does what nothing can stop.
 */
export function unrecordedVerdict(point: Point, verdict: Verdict, hook: string): Verdict {
  const { closedFailure } = POINTS[point];
  if (verdict.action === 'block') return verdict;
  if (closedFailure !== 'block' && closedFailure !== 'suppress') return verdict;
  const { approval: _, ...rest } = plain(verdict);
  const reason = `The decision of hook "${hook}" could not be recorded (fail-closed)`;
  return { ...rest, action: closedFailure, code: 'unrecorded', hook, reason };
}

/** The verdict without what belongs to one action alone. */
function plain(verdict: Verdict): Verdict {
  const { result: _r, isError: _e, feedback: _f, text: _t, code: _c, ...kept } = verdict;
  return kept;
}

/** The payload in the type of its point: it was held against the row on entry and after every change. */
function typed(payload: Payload): Verdict['payload'] {
  return payload as unknown as Verdict['payload'];
}
