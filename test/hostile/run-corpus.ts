import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { readCorpus, type Program } from './corpus.ts';
import { driveProgram, type Finding } from './drive.ts';
import { CANARY, openStage, sessionsOf, type Policy, type Stage } from './stage.ts';

/** What running a corpus came to. */
export interface CorpusReport {
  readonly findings: readonly (Finding & { readonly policy: Policy })[];
  /** 99th percentile of a well-behaved package's calls meanwhile, in milliseconds. */
  readonly neighbourP99Ms: number;
  readonly neighbourCalls: number;
  /** Longest that the host's event loop was held up, in milliseconds. */
  readonly loopHeldMs: number;
  /** Growth of the host's resident memory, in MiB. */
  readonly grownMb: number;
  readonly leftProcesses: number;
  readonly leftDescriptors: number;
}

/** What to run. */
export interface CorpusRun {
  readonly folder: string;
  readonly policies: readonly Policy[];
  readonly isWanted?: (program: { readonly name: string; readonly kind: string }) => boolean;
  readonly onFinding?: (finding: Finding, policy: Policy) => void;
}

/** Programs that are loaded at once: each has a process of its own. */
const AT_ONCE = 8;
/** Pause between two calls of the well-behaved package, in milliseconds. */
const NEIGHBOUR_EVERY_MS = 20;

/** What was stopped is given this long to be gone, in milliseconds. */
const SETTLE_MS = 500;

/** Runs every program of a corpus under the given policies beside a well-behaved package. */
export async function runCorpus({
  folder,
  policies,
  isWanted = () => true,
  onFinding,
}: CorpusRun): Promise<CorpusReport> {
  process.env['HOST_CANARY'] = CANARY;
  const programs = (await readCorpus(folder)).filter(isWanted);
  // What a first runtime costs once is no leak.
  for (let at = 0; at < 2; at += 1) await (await openStage([], 'closed')).close();
  await setTimeout(SETTLE_MS);
  const before = { rssMb: await rssMb(), descriptors: descriptors(), children: children() };
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const findings: (Finding & { policy: Policy })[] = [];
  const neighbour: number[] = [];
  for (const policy of policies) {
    for (let at = 0; at < programs.length; at += AT_ONCE) {
      const batch = programs.slice(at, at + AT_ONCE);
      const stage = await openStage(batch, policy);
      const stop = watchNeighbour(stage, neighbour);
      loop.reset();
      for (const program of batch) {
        const first = await driveProgram(stage, program, policy);
        const finding = first.problems.length === 0 ? first : await driveAgain(program, policy);
        findings.push({ ...finding, policy });
        onFinding?.(finding, policy);
      }
      await stop();
      await stage.close();
    }
  }
  const loopHeldMs = loop.max / 1e6;
  loop.disable();
  await setTimeout(SETTLE_MS);
  neighbour.sort((a, b) => a - b);
  return {
    findings,
    neighbourCalls: neighbour.length,
    neighbourP99Ms: neighbour[Math.floor(neighbour.length * 0.99)] ?? 0,
    loopHeldMs,
    grownMb: (await rssMb()) - before.rssMb,
    leftProcesses: children().filter((pid) => !before.children.includes(pid)).length,
    leftDescriptors: descriptors() - before.descriptors,
  };
}

/** A machine that others keep busy spoils a measurement: what fails is driven once more, in a runtime of its own. */
async function driveAgain(program: Program, policy: Policy): Promise<Finding> {
  const stage = await openStage([program], policy);
  try {
    return await driveProgram(stage, program, policy);
  } finally {
    await stage.close();
  }
}

/** Calls the well-behaved package all the while. Returns what stops it. */
function watchNeighbour({ runtime }: Stage, times: number[]): () => Promise<void> {
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const startedAt = performance.now();
      await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId: sessionsOf('sibling')[1] });
      times.push(performance.now() - startedAt);
      await setTimeout(NEIGHBOUR_EVERY_MS);
    }
  };
  const running = loop();
  return () => {
    isOver = true;
    return running;
  };
}

/** What stays: the engine gives pages back some time after a collection. */
async function rssMb(): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await setTimeout(100);
    least = Math.min(least, process.memoryUsage.rss() / 1024 / 1024);
  }
  return least;
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

/** Pids of processes that this one started and that are still there. */
function children(): number[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1')
    .split(' ')
    .filter(Boolean)
    .map(Number);
}
