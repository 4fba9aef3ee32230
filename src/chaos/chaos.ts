import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Action } from '../../sdk/decisions.ts';
import type { PayloadInput, Point } from '../../sdk/points.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import { openRehearsal } from '../rehearsal.ts';
import type { Rig } from '../rig.ts';
import { rigFault, type FaultName } from '../testing/faults.ts';
import type { Verdict } from '../verdict.ts';
import { pointsOf, sampleCalls, type SampleCall } from './sample-calls.ts';

/** Which hook is made to fail, how, and for how many calls of each of its points. */
export interface ChaosOrder {
  readonly config: RuntimeConfig;
  readonly hook: string;
  readonly fault: FaultName;
  readonly calls: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

/** How often something was. */
export type Counts = Readonly<Record<string, number>>;

/** What callers of one point got. */
export interface ChaosRow {
  readonly point: Point;
  readonly calls: number;
  /** Actions of the verdicts. */
  readonly got: Readonly<Partial<Record<Action, number>>>;
  /** The same calls without the fault. */
  readonly usually: Readonly<Partial<Record<Action, number>>>;
  /** Codes of the hook's own failures. */
  readonly codes: Counts;
  /** Failures of other hooks in the same calls, by hook. */
  readonly others: Counts;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Answered {
  readonly verdict: Verdict;
  readonly ms: number;
}

/** Calls at once: enough for one that fails to have others beside it. */
const CONCURRENCY = 4;

/** Puts a fault in the place of a hook and fires calls as a loop would, on copies of the databases. Throws `hook_unknown`. */
export async function injectFault(order: ChaosOrder): Promise<readonly ChaosRow[]> {
  const { config, hook, fault, onProgress } = order;
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-chaos-'));
  try {
    onProgress?.(`${hook} as it is`);
    const usual = await fireAll(order);
    onProgress?.(`${hook} with ${fault}`);
    const hit = await fireAll(order, rigFault(fault, { name: hook, folder }));
    return [...hit].map(([point, answers]) => rowOf({ hook, point, answers, usual }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }

  async function fireAll(
    { calls, signal }: ChaosOrder,
    rig?: Rig,
  ): Promise<ReadonlyMap<Point, readonly Answered[]>> {
    const { runtime, close } = await openRehearsal(config, rig);
    try {
      const callsOf = await sampleCalls(config, hook);
      const answered = new Map<Point, Answered[]>();
      for (const point of pointsOf(runtime, hook)) {
        const samples = callsOf(point);
        const answers: Answered[] = [];
        answered.set(point, answers);
        let next = 0;
        const caller = async (): Promise<void> => {
          while (next < calls && !signal.aborted) {
            const number = next;
            next += 1;
            const { payload, context }: SampleCall = samples[number % samples.length] ?? samples[0];
            const startMs = performance.now();
            const verdict = await runtime.fire(
              point,
              // A fixture's payload is held against the point as it is fired.
              payload as PayloadInput<Point>,
              { sessionId: `chaos-${number % CONCURRENCY}`, ...context },
            );
            answers.push({ verdict, ms: performance.now() - startMs });
          }
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, caller));
      }
      return answered;
    } finally {
      await close();
    }
  }
}

function rowOf({
  hook,
  point,
  answers,
  usual,
}: {
  readonly hook: string;
  readonly point: Point;
  readonly answers: readonly Answered[];
  readonly usual: ReadonlyMap<Point, readonly Answered[]>;
}): ChaosRow {
  const runs = answers.flatMap(({ verdict }) => verdict.trace);
  const failed = runs.flatMap(({ hook: name, code }) =>
    code === undefined ? [] : [{ name, code }],
  );
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const actionsOf = (all: readonly Answered[]) => countOf(all.map(({ verdict }) => verdict.action));
  return {
    point,
    calls: answers.length,
    got: actionsOf(answers),
    usually: actionsOf(usual.get(point) ?? []),
    codes: countOf(failed.filter(({ name }) => isOf(name, hook)).map(({ code }) => code)),
    others: countOf(failed.filter(({ name }) => !isOf(name, hook)).map(({ name }) => name)),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  };
}

/** A handler that a module registered is named after its hook. */
function isOf(name: string, hook: string): boolean {
  return name === hook || name.startsWith(`${hook}/`);
}

function countOf<K extends string>(values: readonly K[]): Partial<Record<K, number>> & Counts {
  const counts = new Map<K, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  // The keys are those that were counted.
  return Object.fromEntries(counts) as Partial<Record<K, number>> & Counts;
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
