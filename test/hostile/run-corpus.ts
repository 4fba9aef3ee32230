import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readCorpus } from './corpus.ts';
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
const AT_ONCE = 12;
/** Pause between two calls of the well-behaved package, in milliseconds. */
const NEIGHBOUR_EVERY_MS = 20;

/** Runs every program of a corpus under the given policies beside a well-behaved package. */
export async function runCorpus({
  folder,
  policies,
  isWanted = () => true,
  onFinding,
}: CorpusRun): Promise<CorpusReport> {
  process.env['HOST_CANARY'] = CANARY;
  const programs = (await readCorpus(folder)).filter(isWanted);
  await (await openStage([], 'closed')).close();
  const before = { rssMb: rssMb(), descriptors: descriptors() };
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
        const finding = await driveProgram(stage, program, policy);
        findings.push({ ...finding, policy });
        onFinding?.(finding, policy);
      }
      await stop();
      await stage.close();
    }
  }
  const loopHeldMs = loop.max / 1e6;
  loop.disable();
  neighbour.sort((a, b) => a - b);
  return {
    findings,
    neighbourCalls: neighbour.length,
    neighbourP99Ms: neighbour[Math.floor(neighbour.length * 0.99)] ?? 0,
    loopHeldMs,
    grownMb: rssMb() - before.rssMb,
    leftProcesses: children().length,
    leftDescriptors: descriptors() - before.descriptors,
  };
}

/** Calls the well-behaved package all the while. Returns what stops it. */
function watchNeighbour({ runtime }: Stage, times: number[]): () => Promise<void> {
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const startedAt = performance.now();
      await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId: sessionsOf('sibling')[1] });
      times.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, NEIGHBOUR_EVERY_MS));
    }
  };
  const running = loop();
  return () => {
    isOver = true;
    return running;
  };
}

function rssMb(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss() / 1024 / 1024;
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
