import type { Activity, Ending } from './process/activity.ts';
import { readHandlers } from './handlers.ts';
import type { Refusal, TaskEnd } from './task.ts';
import type { Call, CallResult, HostLimits, LoadResult } from './sandbox.ts';
import type { FailureCode } from '../sdk/errors.ts';

/** Failure codes of the outcomes that a sandbox may report; what it cannot know is decided by the host. */
const OUTCOME_CODES = {
  thrown: 'thrown',
  invalid: 'invalid_decision',
  size: 'answer_size',
  memory: 'memory',
  load_error: 'load_error',
  crash: 'crash',
  opened: 'crash',
} as const satisfies Record<string, FailureCode>;

const REFUSAL_CODES = {
  queue: 'queue_timeout',
  full: 'queue_full',
  caller: 'cancelled',
  closed: 'cancelled',
} as const satisfies Record<Refusal, FailureCode>;

/** The failure of a call that no sandbox ever had. */
export function notCalled(code: FailureCode, detail: string): CallResult {
  return { ok: false, code, detail, ms: 0, logs: [] };
}

/** What a call came to, from how its task ended. */
export function callResult(done: TaskEnd, call: Call, limits: HostLimits): CallResult {
  if (done.type === 'up') return notCalled('crash', 'it was taken for a load');
  if (done.type === 'refused') {
    const details = {
      queue: `${limits.queueMs} ms`,
      full: `${limits.queueLength} calls`,
      caller: '',
      closed: 'the host was closed',
    };
    return notCalled(REFUSAL_CODES[done.by], details[done.by]);
  }
  if (done.type === 'not-loaded') {
    const { ending } = done;
    const { code, detail } = loadFailure(ending);
    if (ending.by !== 'loss') return notCalled(code, detail);
    const { role } = ending;
    return { ...notCalled(role === 'culprit' ? code : 'sandbox_lost', detail), role };
  }
  const { ending } = done;
  const facts = factsOf(done.activity, ending);
  switch (ending.by) {
    case 'caller':
    case 'withdrawn':
      return { ok: false, code: 'cancelled', detail: '', ...facts };
    case 'cap':
      return { ok: false, code: 'timeout', detail: `${call.timeoutMs} ms`, ...facts };
    case 'loss': {
      const own = ending.isMemory ? 'memory' : 'crash';
      return {
        ok: false,
        code: ending.role === 'culprit' ? own : 'sandbox_lost',
        detail: '',
        ...facts,
      };
    }
    case 'guest':
      if (ending.outcome === 'answer') return { ok: true, answer: ending.text, ...facts };
      return {
        ok: false,
        code: OUTCOME_CODES[ending.outcome],
        detail: ownFrames(ending.text),
        ...facts,
      };
  }
}

/** What a load came to, from how its task ended. */
export function loadResult(done: TaskEnd, loadMs: number): LoadResult {
  if (done.type === 'refused')
    return { ok: false, code: 'load_timeout', detail: 'no sandbox came up in time' };
  if (done.type === 'up') return { ok: true, loadMs };
  const { ending } = done;
  if (ending.by === 'guest' && ending.outcome === 'opened') {
    const reported = readHandlers(ending.text);
    if (!reported.ok) return { ok: false, code: 'load_error', detail: reported.detail };
    const { handlers } = reported;
    return { ok: true, loadMs, ...(handlers !== undefined && { handlers }) };
  }
  return { ok: false, ...loadFailure(ending) };
}

function loadFailure(ending: Ending): Pick<LoadResult & { readonly ok: false }, 'code' | 'detail'> {
  switch (ending.by) {
    case 'cap':
      return { code: 'load_timeout', detail: '' };
    case 'caller':
    case 'withdrawn':
      return { code: 'load_error', detail: 'the caller ended it' };
    case 'loss':
      return {
        code: ending.isMemory ? 'memory' : 'crash',
        detail: 'the process died during the load',
      };
    case 'guest':
      if (ending.outcome === 'memory' || ending.outcome === 'crash') {
        return { code: ending.outcome, detail: 'during the load' };
      }
      return { code: 'load_error', detail: ownFrames(ending.text) };
  }
}

type Facts = Pick<CallResult, 'ms' | 'logs' | 'role'>;

function factsOf(activity: Activity, ending: Ending): Facts {
  const facts = { ms: Math.max(0, performance.now() - activity.startedAt), logs: activity.logs };
  return ending.by === 'loss' ? { ...facts, role: ending.role } : facts;
}

/** Frames of a stack that name no file of the hook: the sandbox's own, Node's own, and paths of the host. */
const FOREIGN_FRAME =
  /^\s+at .*(?:signalbox:|node:|file:\/\/|\(\/|\sat \/|<isolated-vm|<anonymous>)/;

/** A thrown error's text with the frames of the hook's own files alone. */
function ownFrames(text: string): string {
  if (!text.includes('\n')) return text;
  return text
    .split('\n')
    .filter((line) => !FOREIGN_FRAME.test(line))
    .join('\n');
}
