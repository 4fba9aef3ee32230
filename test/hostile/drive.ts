import type { TestReport } from '../../src/runtime.ts';
import type { Program } from './corpus.ts';
import type { Policy, Stage } from './stage.ts';

/** What one program came to. */
export interface Finding {
  readonly name: string;
  readonly kind: string;
  /** The class of each call, in order. */
  readonly classes: readonly string[];
  /** The longest call, in milliseconds. */
  readonly slowestMs: number;
  /** What is not as the corpus requires; empty is right. */
  readonly problems: readonly string[];
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
/** The corpus tells coarser classes apart than the codes do. */
const CLASS_OF: Readonly<Record<string, string>> = {
  load_timeout: 'load_error',
  answer_size: 'invalid_decision',
  unserialisable: 'invalid_decision',
  credit: 'capability',
};
const DECISIONS = new Set(['allow', 'block', 'modify', 'ask']);

interface Seen {
  readonly className: string;
  readonly report: TestReport;
  readonly ms: number;
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
      ? await call(stage, program.name, { sessionId: `${program.name}-b`, payload: SECOND })
      : undefined;
  if (drive.settleMs !== undefined)
    await new Promise((resolve) => setTimeout(resolve, drive.settleMs));
  if (drive.sibling === true) problems.push(...(await siblingProblems(stage, 'after')));
  const all = second === undefined ? first : [...first, second];
  const classes = first.map(({ className }) => className);
  const last = second ?? (drive.parallel === undefined ? first.at(-1) : first[0]);
  if (drive.expectCalls !== undefined) {
    if (drive.expectCalls.join() !== classes.join()) problems.push(`calls gave ${classes.join()}`);
  } else if (last === undefined || !program.accept.includes(last.className)) {
    problems.push(`gave ${last?.className ?? 'nothing'}, not ${program.accept.join(' or ')}`);
  }
  for (const seen of all) problems.push(...policyProblems(seen, program.name, policy));
  if (all.some(({ report }) => program.forbid.test(visibleText(report))))
    problems.push('a forbidden text shows');
  if (second !== undefined && program.forbidSecond?.test(visibleText(second.report)) === true) {
    problems.push("text of the first session shows in the second's");
  }
  const slowestMs = Math.max(...all.map(({ ms }) => ms));
  if (slowestMs > CAP_MS + OVER_MS) problems.push(`took ${Math.round(slowestMs)} ms`);
  return { name: program.name, kind: program.kind, classes, slowestMs, problems };
}

async function inTurn(stage: Stage, { name, drive }: Program): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let at = 0; at < (drive.calls ?? 1); at += 1) {
    const next = await call(stage, name, { sessionId: `${name}-a`, payload: PAYLOAD });
    seen.push(next);
    if (drive.stopOnFail !== false && !DECISIONS.has(next.className)) break;
  }
  return seen;
}

function atOnce(stage: Stage, { name }: Program, count: number): Promise<Seen[]> {
  return Promise.all(
    Array.from({ length: count }, (_, at) =>
      call(stage, name, {
        sessionId: `${name}-a`,
        payload: at === 0 ? PAYLOAD : { ...PAYLOAD, toolName: `other_${at}` },
      }),
    ),
  );
}

async function call(
  { runtime }: Stage,
  hookName: string,
  { sessionId, payload }: { readonly sessionId: string; readonly payload: object },
): Promise<Seen> {
  const startedAt = performance.now();
  const report = await runtime.test({
    point: 'preToolUse',
    hookName,
    payload,
    context: { sessionId, caller: { source: 'chat' } },
  });
  const ms = performance.now() - startedAt;
  const code = report.hooks[0]?.code;
  const className =
    code === undefined ? (report.hooks[0]?.action ?? 'none') : (CLASS_OF[code] ?? code);
  return { className, report, ms };
}

/** A failure under closed blocks with the fixed reason, under open it allows. */
function policyProblems({ className, report }: Seen, name: string, policy: Policy): string[] {
  if (DECISIONS.has(className)) return [];
  if (policy === 'open')
    return report.action === 'allow' ? [] : [`a failure under open gave ${report.action}`];
  const isRight =
    report.action === 'block' && report.reason === `Hook "${name}" failed (fail-closed)`;
  return isRight ? [] : [`a failure under closed gave ${report.action}: ${report.reason ?? ''}`];
}

/** Everything of a report that a hook could have written into. */
function visibleText({ verdict, logs, reason, hooks, output, input }: TestReport): string {
  const isChanged = JSON.stringify(output) !== JSON.stringify(input);
  return JSON.stringify([
    reason,
    logs,
    hooks,
    verdict.inject,
    verdict.notices,
    isChanged ? output : null,
  ]);
}

async function siblingProblems(stage: Stage, when: string): Promise<string[]> {
  const { report } = await call(stage, 'sibling', { sessionId: 'sibling', payload: PAYLOAD });
  return report.reason === 'SIBLING-OK clerk'
    ? []
    : [`the sibling ${when} gave ${report.reason ?? 'nothing'}`];
}
