import { ACTION_NAMES, type Action } from '../../sdk/decisions.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import { nearest } from '../config/nearest.ts';
import { printable } from '../config/printable.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import type { TestReport } from '../runtime.ts';
import { pointOf } from '../server/point-name.ts';
import { EXIT } from './exit-code.ts';
import { differences, findFixtures, type FixtureFile } from '../testing/fixtures.ts';
import { readJsonFile } from '../config/json-file.ts';
import { withRuntime, type Session } from './session.ts';
import type { Terminal } from './terminal.ts';

/** Options of `signalbox test`. */
export interface TestFlags {
  /** Without one: the whole chain of the point, or the fixtures of every hook. */
  readonly hook?: string;
  /** A file with the payload, `-` for standard input; `{}`, if absent. */
  readonly payload?: string;
  /** The action that the answer must be. */
  readonly expect?: string;
  /** A fault to put in the place of the hook, or `all`. */
  readonly fault?: string;
  readonly conformance?: boolean;
}

/** Runs one hook or a chain on a payload, or without a point the fixtures of hooks. */
export async function runTest(
  session: Session,
  pointName: string | undefined,
  flags: TestFlags,
): Promise<number> {
  if (flags.fault !== undefined || flags.conformance === true) {
    return testAtAllPoints(session, pointName, flags);
  }
  if (pointName === undefined) {
    if (flags.payload !== undefined || flags.expect !== undefined) {
      throw new SignalboxError('usage', { detail: '--payload and --expect need a point' });
    }
    return withRuntime(session, { level: 'silent' }, (runtime) =>
      testFixtures(session, runtime, flags),
    );
  }
  const point = pointOf(pointName);
  const expected = expectedAction(flags.expect);
  const payload = flags.payload === undefined ? {} : await readJsonFile(flags.payload);
  return withRuntime(session, { level: 'silent' }, async (runtime) => {
    const report = await runtime.test({ point, payload, ...hookName(flags.hook) });
    if (session.terminal.isJson) session.terminal.json(report);
    else printReport(session.terminal, point, report);
    const isExpected = expected === undefined || expected === report.action;
    if (!isExpected) session.terminal.note(`expected ${expected}, and it is ${report.action}`);
    return isExpected && failuresOf(report, point).length === 0 ? EXIT.ok : EXIT.problems;
  });
}

/** What is tried at every point that a hook is bound to. */
async function testAtAllPoints(
  session: Session,
  pointName: string | undefined,
  { hook, fault }: TestFlags,
): Promise<number> {
  if (hook === undefined || pointName !== undefined) {
    const detail =
      '--fault and --conformance need --hook, and no point: they go through all of its';
    throw new SignalboxError('usage', { detail });
  }
  const { faultsOf, runFaults } = await import('./author/fault-command.ts');
  if (fault !== undefined) return runFaults(session, hook, faultsOf(fault));
  return (await import('./author/conformance-command.ts')).runConformance(session, hook);
}

function expectedAction(text: string | undefined): Action | undefined {
  if (text === undefined) return undefined;
  const action = ACTION_NAMES.find((name) => name === text);
  if (action !== undefined) return action;
  const detail = `--expect takes one of ${ACTION_NAMES.join(', ')}`;
  throw new SignalboxError('usage', { detail });
}

function hookName(hook: string | undefined): { hookName?: string } {
  return hook === undefined ? {} : { hookName: hook };
}

function printReport(terminal: Terminal, point: Point, report: TestReport): void {
  const { action, reason, code, hooks, notRun, logs, modified } = report;
  const why = [
    ...(code === undefined ? [] : [`[${code}]`]),
    ...(reason === undefined ? [] : [reason]),
  ];
  terminal.line(`${point}: ${action}${why.length > 0 ? ` ${printable(why.join(' '), 2000)}` : ''}`);
  if (hooks.length > 0) {
    terminal.table(
      ['hook', 'action', 'code', 'ms'],
      hooks.map((hook) => [hook.name, hook.action, hook.code ?? '-', hook.ms.toFixed(1)]),
    );
  } else {
    terminal.line('No hook ran.');
  }
  if (notRun.length > 0) terminal.line(`Not run: ${printable(notRun.join(', '), 2000)}`);
  for (const { hook, line } of logs)
    terminal.line(`log ${printable(hook)}: ${printable(line, 2000)}`);
  if (modified) {
    terminal.line('Payload after the chain:');
    terminal.json(report.output);
  }
  for (const failure of failuresOf(report, point)) terminal.note(failure);
}

/** What failed, and for an answer that is no decision which ones there are. */
function failuresOf(report: TestReport, point: Point): string[] {
  return report.hooks.flatMap(({ name, code, detail = '' }) => {
    if (code === undefined) return [];
    const legal = POINTS[point].decisions.join(', ');
    const hint = code === 'invalid_decision' ? `; at ${point} a hook may answer ${legal}` : '';
    return [printable(`hook "${name}" failed with ${code}: ${detail}${hint}`, 2000)];
  });
}

interface FixtureOutcome {
  readonly hook: string;
  readonly fixture: string;
  readonly problems: readonly string[];
}

async function testFixtures(
  { terminal, signal }: Session,
  runtime: LiveRuntime,
  { hook }: TestFlags,
): Promise<number> {
  const outcomes = loadProblems(runtime, hook);
  const found = await findFixtures(runtime.config, hook);
  const files = found.filter((file) => outcomes.every(({ hook: name }) => name !== file.hook));
  if (files.length === 0 && outcomes.length === 0) {
    requireHook(runtime, hook);
    const detail = hook === undefined ? 'no hook has fixtures' : `hook "${hook}" has no fixtures`;
    throw new SignalboxError('fixture_missing', { detail });
  }
  for (const file of files) {
    if (signal.aborted) return EXIT.interrupted;
    terminal.progress(`${outcomes.length} of ${files.length} fixtures`);
    outcomes.push({
      hook: file.hook,
      fixture: file.file,
      problems: await runFixture(runtime, file),
    });
  }
  terminal.progress();
  if (terminal.isJson) for (const outcome of outcomes) terminal.json(outcome);
  else {
    terminal.table(
      ['hook', 'fixture', 'result'],
      outcomes.map(({ hook: name, fixture, problems }) => [
        name,
        fixture,
        problems.length === 0 ? 'ok' : [...problems],
      ]),
    );
  }
  return outcomes.every(({ problems }) => problems.length === 0) ? EXIT.ok : EXIT.problems;
}

/** Throws `hook_unknown`. */
function requireHook(runtime: LiveRuntime, hook: string | undefined): void {
  const { hooks, absent } = runtime.inventory();
  const names = [...hooks, ...absent].map((row) => row.hook);
  if (hook === undefined || names.includes(hook)) return;
  throw new SignalboxError('hook_unknown', { hook, nearest: nearest(hook, names) ?? '' });
}

/** Hooks that cannot run fail their test, with or without fixtures. */
function loadProblems(runtime: LiveRuntime, hook: string | undefined): FixtureOutcome[] {
  const { hooks, absent } = runtime.inventory();
  const failing = hooks.flatMap(({ hook: name, failure }) =>
    failure === undefined ? [] : [{ name, problem: `${failure.code}: ${failure.detail}` }],
  );
  const missing = absent.flatMap(({ hook: name, code, detail = '' }) =>
    code === undefined ? [] : [{ name, problem: `${code}: ${detail}` }],
  );
  return [...failing, ...missing]
    .filter(({ name }) => hook === undefined || hook === name)
    .map(({ name, problem }) => ({ hook: name, fixture: '(load)', problems: [problem] }));
}

async function runFixture(runtime: LiveRuntime, file: FixtureFile): Promise<string[]> {
  try {
    const fixture = await file.read();
    const { point, payload, context = {} } = fixture;
    const report = await runtime.test({ point, payload, context, hookName: file.hook });
    return [...failuresOf(report, point), ...differences(fixture, report)];
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    return [`${error.code}: ${error.message}`];
  }
}
