import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Verdict } from '../../src/verdict.ts';
import type { Program } from './corpus.ts';
import { sessionsOf, type Policy, type Stage } from './stage.ts';

/** What one program came to. */
export interface Finding {
  readonly name: string;
  readonly kind: string;
  /** The class of each call, in order. */
  readonly classes: readonly string[];
  /** The longest call, in milliseconds. */
  readonly slowestMs: number;
  /** How long this very process was held up during that call, by others on the machine or by its own work. */
  readonly heldMs: number;
  /** What is not as the corpus requires; empty is right. */
  readonly problems: readonly string[];
  /** A problem is that a text got out, which no busy machine excuses. */
  readonly hasLeaked: boolean;
}

const PAYLOAD = {
  toolName: 'store__submissions__set',
  args: {
    value: { recommendation: 'ready-to-quote', notes: 'SECRET-A-7f3c', list: [1, 2, 3] },
  },
  isDelegated: false,
};
const SECOND = { ...PAYLOAD, args: { value: { ...PAYLOAD.args.value, notes: 'hello-B' } } };
const CAP_MS = 500;
/** How much later than its cap a decision may come. */
const OVER_MS = 100;
/** How finely it is seen that the process was held up. */
const RESOLUTION_MS = 5;
/** The corpus tells coarser classes apart than the codes do. */
const CLASS_OF: Readonly<Record<string, string>> = {
  load_timeout: 'load_error',
  answer_size: 'invalid_decision',
  unserialisable: 'invalid_decision',
  credit: 'capability',
};
/** Kinds whose programs log nothing of interest. */
const UNSEEN_KINDS = new Set(['cpu', 'memory', 'load']);
/** How the problems begin or end that are leaks. */
const LEAK = /^a forbidden text shows|shows in the second's$/;
const DECISIONS = new Set(['allow', 'block', 'modify', 'ask']);

interface Seen {
  readonly className: string;
  readonly verdict: Verdict;
  readonly ms: number;
  readonly heldMs: number;
}

/** Drives a program as its row says, and holds what came of it against the row. */
export async function driveProgram(
  stage: Stage,
  program: Program,
  policy: Policy,
): Promise<Finding> {
  const { drive } = program;
  const problems: string[] = [];
  if (drive.sibling === true) problems.push(...(await siblingProblems(stage, 'before')));
  const first =
    drive.parallel === undefined
      ? await inTurn(stage, program)
      : await atOnce(stage, program, drive.parallel);
  const second =
    drive.sessions === 2
      ? await call(stage, { sessionId: sessionsOf(program.name)[1], payload: SECOND })
      : undefined;
  if (drive.settleMs !== undefined)
    await new Promise((resolve) => setTimeout(resolve, drive.settleMs));
  if (drive.sibling === true) problems.push(...(await siblingProblems(stage, 'after')));
  const all = second === undefined ? first : [...first, second];
  const classes = first.map(({ className }) => className);
  const last = second ?? (drive.parallel === undefined ? first.at(-1) : first[0]);
  if (drive.expectCalls !== undefined) {
    if (drive.expectCalls.join() !== classes.join()) problems.push(`calls gave ${classes.join()}`);
  } else if (last === undefined || !isAccepted(program, last.className)) {
    problems.push(`gave ${last?.className ?? 'nothing'}, not ${program.accept.join(' or ')}`);
  }
  if (!UNSEEN_KINDS.has(program.kind)) problems.push(...(await testProblems(stage, program)));
  for (const seen of all) problems.push(...policyProblems(seen, program.name, policy));
  if (all.some(({ verdict }) => program.forbid.test(JSON.stringify(visible(verdict)))))
    problems.push('a forbidden text shows');
  if (
    second !== undefined &&
    program.forbidSecond?.test(JSON.stringify(visible(second.verdict))) === true
  ) {
    problems.push("text of the first session shows in the second's");
  }
  const hasLeaked = problems.some((problem) => LEAK.test(problem));
  const slowest = all.reduce((a, b) => (b.ms - b.heldMs > a.ms - a.heldMs ? b : a));
  const { ms: slowestMs, heldMs } = slowest;
  // A process that the machine gives no time to decides nothing meanwhile: that is not the hook's doing. What the host
  // itself does too long shows in the report of the whole run.
  if (slowestMs > CAP_MS + OVER_MS + heldMs) problems.push(`took ${Math.round(slowestMs)} ms`);
  return {
    name: program.name,
    kind: program.kind,
    classes,
    slowestMs,
    heldMs,
    problems,
    hasLeaked,
  };
}

async function inTurn(stage: Stage, { name, drive }: Program): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let at = 0; at < (drive.calls ?? 1); at += 1) {
    const next = await call(stage, { sessionId: sessionsOf(name)[0], payload: PAYLOAD });
    seen.push(next);
    if (drive.stopOnFail !== false && !DECISIONS.has(next.className)) break;
  }
  return seen;
}

function atOnce(stage: Stage, { name }: Program, count: number): Promise<Seen[]> {
  return Promise.all(
    Array.from({ length: count }, (_, at) =>
      call(stage, {
        sessionId: sessionsOf(name)[0],
        payload: at === 0 ? PAYLOAD : { ...PAYLOAD, toolName: `other_${at}` },
      }),
    ),
  );
}

async function call(
  { runtime }: Stage,
  { sessionId, payload }: { readonly sessionId: string; readonly payload: typeof PAYLOAD },
): Promise<Seen> {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  loop.enable();
  const startedAt = performance.now();
  const context = { sessionId, turnId: 't', caller: { source: 'chat' } } as const;
  const verdict = await runtime.fire('preToolUse', payload, context);
  const ms = performance.now() - startedAt;
  loop.disable();
  const heldMs = Math.max(0, loop.max / 1e6 - 2 * RESOLUTION_MS);
  return { className: classOf(verdict), verdict, ms, heldMs };
}

function classOf({ trace }: Verdict): string {
  const [entry] = trace;
  return entry?.code === undefined
    ? (entry?.action ?? 'none')
    : (CLASS_OF[entry.code] ?? entry.code);
}

/**
 * Whether a class is one that the corpus takes. The design goes further than the corpus in one place: a refused bridge
 * call is a failure even where the hook hides it.
 */
function isAccepted({ accept, isContained }: Program, className: string): boolean {
  return accept.includes(className) || (isContained && className === 'capability');
}

/** The same by way of the test endpoint's path, which shows what the hook logged. */
async function testProblems({ runtime }: Stage, program: Program): Promise<string[]> {
  const { verdict, logs } = await runtime.test({
    point: 'preToolUse',
    hookName: program.name,
    payload: PAYLOAD,
  });
  const className = classOf(verdict);
  // A test has a session of its own: what a program does in a later call it does not do here.
  const isFine = DECISIONS.has(className) || isAccepted(program, className);
  return [
    ...(isFine ? [] : [`as a test gave ${className}`]),
    ...(program.forbid.test(JSON.stringify([logs, visible(verdict)]))
      ? ['a forbidden text shows in a test']
      : []),
  ];
}

/** A failure under closed blocks with the fixed reason, under open it allows. */
function policyProblems({ className, verdict }: Seen, name: string, policy: Policy): string[] {
  if (DECISIONS.has(className)) return [];
  if (policy === 'open')
    return verdict.action === 'allow' ? [] : [`a failure under open gave ${verdict.action}`];
  const isRight =
    verdict.action === 'block' && verdict.reason === `Hook "${name}" failed (fail-closed)`;
  return isRight ? [] : [`a failure under closed gave ${verdict.action}: ${verdict.reason ?? ''}`];
}

/** Everything of a verdict that a hook could have written into. */
function visible(verdict: Verdict): readonly unknown[] {
  const { reason, inject, notices, outputs, trace, payload, isModified } = verdict;
  return [reason, inject, notices, outputs, trace, isModified ? payload : null];
}

async function siblingProblems(stage: Stage, when: string): Promise<string[]> {
  const { verdict } = await call(stage, { sessionId: sessionsOf('sibling')[0], payload: PAYLOAD });
  const isRight = verdict.reason === 'SIBLING-OK clerk';
  return isRight ? [] : [`the sibling ${when} gave ${verdict.reason ?? 'nothing'}`];
}
