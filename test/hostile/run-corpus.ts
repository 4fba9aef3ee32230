import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { readCorpus, type Program, type ProgramName } from './corpus.ts';
import { driveProgram, type Finding } from './drive.ts';
import { CANARY, openStage, sessionsOf, type Policy, type Stage } from './stage.ts';

/** What running a corpus came to. */
export interface CorpusReport {
  readonly findings: readonly (Finding & { readonly policy: Policy })[];
  /** 99th percentile of a well-behaved package's calls meanwhile, in milliseconds. */
  readonly neighbourP99Ms: number;
  readonly neighbourCalls: number;
  /** The same while no program of the corpus runs: what the machine itself takes. */
  readonly quietP99Ms: number;
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
  readonly isWanted?: (program: ProgramName) => boolean;
  readonly onFinding?: (finding: Finding, policy: Policy) => void;
}

/** Programs that are loaded at once: each has a process of its own. */
const AT_ONCE = 16;
/** Programs that are driven at once: most of the time goes by until a cap is reached. */
const LANES = 3;
/** Calls of the well-behaved package before the programs of a batch run. */
const QUIET_CALLS = 20;
/** Pause between two calls of the well-behaved package, in milliseconds. */
const NEIGHBOUR_EVERY_MS = 20;

/** What was stopped is given this long to be gone, in milliseconds. */
const SETTLE_MS = 500;

/** What a first runtime costs once is no leak: to be called before the first corpus of a process. */
export async function warmUp(): Promise<void> {
  for (let at = 0; at < 2; at += 1) await (await openStage([], 'closed')).close();
  await setTimeout(SETTLE_MS);
}

/** Runs every program of a corpus under the given policies beside a well-behaved package. */
export async function runCorpus({
  folder,
  policies,
  isWanted = () => true,
  onFinding,
}: CorpusRun): Promise<CorpusReport> {
  process.env['HOST_CANARY'] = CANARY;
  const programs = await readCorpus(folder, isWanted);
  const before = { rssMb: await rssMb(), descriptors: descriptors(), children: children() };
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const findings: (Finding & { policy: Policy })[] = [];
  const quiet: number[] = [];
  const neighbour: number[] = [];
  let loopHeldMs = 0;
  for (const policy of policies) {
    for (let at = 0; at < programs.length; at += AT_ONCE) {
      const batch = programs.slice(at, at + AT_ONCE);
      const stage = await openStage(batch, policy);
      await callNeighbour(stage);
      for (let call = 0; call < QUIET_CALLS; call += 1) quiet.push(await callNeighbour(stage));
      const stop = watchNeighbour(stage, neighbour);
      loop.reset();
      loop.enable();
      const keep = (finding: Finding): void => {
        findings.push({ ...finding, policy });
        onFinding?.(finding, policy);
      };
      const doubtful: Program[] = [];
      await inLanes(batch, async (program) => {
        const finding = await driveProgram(stage, program, policy);
        if (finding.problems.length === 0 || finding.hasLeaked) keep(finding);
        else doubtful.push(program);
      });
      loop.disable();
      loopHeldMs = Math.max(loopHeldMs, loop.max / 1e6);
      await stop();
      await stage.close();
      for (const program of doubtful) keep(await driveAgain(program, policy));
    }
  }
  await setTimeout(SETTLE_MS);
  return {
    findings,
    neighbourCalls: neighbour.length,
    neighbourP99Ms: p99(neighbour),
    quietP99Ms: p99(quiet),
    loopHeldMs,
    grownMb: (await rssMb()) - before.rssMb,
    leftProcesses: children().filter((pid) => !before.children.includes(pid)).length,
    leftDescriptors: descriptors() - before.descriptors,
  };
}

async function inLanes(
  programs: readonly Program[],
  drive: (program: Program) => Promise<void>,
): Promise<void> {
  const waiting = [...programs];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await drive(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

/** A machine that others keep busy spoils a measurement: what fails is driven once more, alone, unless something got out. */
async function driveAgain(program: Program, policy: Policy): Promise<Finding> {
  const stage = await openStage([program], policy);
  try {
    return await driveProgram(stage, program, policy);
  } finally {
    await stage.close();
  }
}

/** How long one call of the well-behaved package takes, in milliseconds. */
async function callNeighbour({ runtime }: Stage): Promise<number> {
  const startedAt = performance.now();
  await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId: sessionsOf('sibling')[1] });
  return performance.now() - startedAt;
}

/** Calls the well-behaved package all the while. Returns what stops it. */
function watchNeighbour(stage: Stage, times: number[]): () => Promise<void> {
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      times.push(await callNeighbour(stage));
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
