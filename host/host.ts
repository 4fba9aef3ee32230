import type { Ending } from './activity.ts';
import type { ChildEntries } from './build.ts';
import { launchPlans, WORKER_THREADS } from './launch.ts';
import { residentMb, watchMemory } from './memory-watch.ts';
import { Nursery } from './nursery.ts';
import { Pool, type TaskEnd } from './pool.ts';
import type { FailureCode } from '../sdk/errors.ts';
import type {
  Call,
  CallResult,
  HookSource,
  Host,
  HostLimits,
  LoadResult,
  ProcessFacts,
  SandboxKind,
} from './sandbox.ts';

/** What a host is opened with. */
export interface HostOptions {
  readonly limits: HostLimits;
  readonly entries: ChildEntries;
  /** Warm isolate processes beyond those in use. */
  readonly spares?: number;
}

/** Memory of a process before any isolate, with room for V8's own, in MiB. */
const BASE_MB = 160;
/** Processes of one package at once; more sessions than isolates in them wait their turn. */
const MAX_PROCESSES = 4;
/** Runs that may wait on bridges in one isolate process at once is bounded by its isolates. */
const IDLE_CHECKS = 4;

/** Opens a host. Processes start as hooks are loaded. */
export function openHost(options: HostOptions): Host {
  const { limits, entries } = options;
  const sources = new Map<string, HookSource>();
  const pools = new Map<string, Pool>();
  const nurseries: Readonly<Record<SandboxKind, Nursery>> = {
    isolate: new Nursery({
      plans: launchPlans('isolate', entries),
      buildHash: entries.buildHash,
      spares: options.spares ?? 1,
    }),
    worker: new Nursery({
      plans: launchPlans('worker', entries),
      buildHash: entries.buildHash,
      spares: 0,
    }),
  };
  let isClosed = false;

  const poolOf = (source: HookSource): Pool => {
    const key = `${source.sandbox} ${source.owner}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = new Pool({
        kind: source.sandbox,
        limits,
        nursery: nurseries[source.sandbox],
        maxProcesses: source.sandbox === 'isolate' ? MAX_PROCESSES : 1,
        lanes: source.sandbox === 'isolate' ? limits.maxIsolates : WORKER_THREADS,
      });
      pools.set(key, pool);
    }
    return pool;
  };

  function* processes(kind: SandboxKind): Generator<import('./sandbox-process.ts').SandboxProcess> {
    for (const [key, pool] of pools) if (key.startsWith(kind)) yield* pool.processes;
  }
  const stopWatch = watchMemory(
    () => processes('isolate'),
    (process) =>
      limits.rssMb ??
      BASE_MB + process.places.reduce((sum, place) => sum + place.source.memoryMb, 0),
  );
  const idleTimer =
    limits.idleMs === null
      ? undefined
      : setInterval(() => {
          for (const pool of pools.values()) pool.stopIdle(limits.idleMs ?? Infinity);
        }, limits.idleMs / IDLE_CHECKS);
  idleTimer?.unref();
  const killAll = (): void => {
    for (const pool of pools.values()) pool.close();
    for (const nursery of Object.values(nurseries)) nursery.close();
  };
  process.on('exit', killAll);

  return {
    load(source) {
      sources.set(source.name, source);
      const startedAt = performance.now();
      return new Promise<LoadResult>((resolve) => {
        poolOf(source).submit({
          source,
          sessionId: '',
          work: { kind: 'load' },
          capMs: limits.loadMs,
          onDone: (done) => resolve(loadResult(done, performance.now() - startedAt)),
        });
      });
    },
    call(call) {
      const source = sources.get(call.hook);
      if (source === undefined || isClosed) {
        return Promise.resolve(failure('cancelled', 'the host is closed', { ms: 0, logs: [] }));
      }
      return new Promise<CallResult>((resolve) => {
        poolOf(source).submit({
          source,
          sessionId: call.sessionId,
          work: { kind: 'run', input: call.input, ops: call.ops.join(','), bridge: call.bridge },
          capMs: call.timeoutMs,
          signal: call.signal,
          onDone: (done) => resolve(callResult(done, call, limits)),
        });
      });
    },
    endSession(sessionId) {
      for (const pool of pools.values()) pool.dropSession(sessionId);
    },
    processes: () =>
      [...pools].flatMap(([key, pool]) =>
        pool.processes.map(
          ({ child, calls }): ProcessFacts => ({
            owner: key.slice(key.indexOf(' ') + 1),
            sandbox: key.slice(0, key.indexOf(' ')) as SandboxKind,
            pid: child.pid,
            rssMb: residentMb(child.pid) ?? 0,
            calls,
            layers: child.layers,
          }),
        ),
      ),
    async close() {
      isClosed = true;
      stopWatch();
      clearInterval(idleTimer);
      const ends = [...pools.values()].flatMap((pool) => pool.processes.map(({ child }) => child.gone));
      const spares = Object.values(nurseries).flatMap((nursery) => nursery.warm.map((child) => child.gone));
      killAll();
      process.off('exit', killAll);
      await Promise.all([...ends, ...spares]);
    },
  };
}

type Facts = Pick<CallResult, 'ms' | 'logs' | 'role'>;

function failure(code: FailureCode, detail: string, facts: Facts): CallResult {
  return { ok: false, code, detail, ...facts };
}

/** Failure codes of the outcomes that a sandbox may report; what it cannot know is decided by the host. */
const CODES = {
  thrown: 'thrown',
  invalid: 'invalid_decision',
  size: 'answer_size',
  memory: 'memory',
  load_error: 'load_error',
  crash: 'crash',
  opened: 'crash',
} as const satisfies Record<string, FailureCode>;

function callResult(done: TaskEnd, call: Call, limits: HostLimits): CallResult {
  const { ending } = done;
  const none = { ms: 0, logs: [] };
  if (ending.by === 'queue') return failure('queue_timeout', `${limits.queueMs} ms`, none);
  if (ending.by === 'full') return failure('queue_full', `${limits.queueLength} calls`, none);
  if (ending.by === 'closed') return failure('cancelled', 'the host was closed', none);
  if (ending.by === 'load') {
    const result = loadFailure(ending.load);
    return failure(result.code, result.detail, none);
  }
  const facts = 'activity' in done ? factsOf(done.activity, ending as Ending) : none;
  if (ending.by === 'caller') return failure('cancelled', '', facts);
  if (ending.by === 'cap') return failure('timeout', `${call.timeoutMs} ms`, facts);
  if (ending.by === 'loss') {
    if (ending.role === 'bystander') return failure('sandbox_lost', '', facts);
    return failure(ending.isMemory ? 'memory' : 'crash', '', facts);
  }
  if (ending.outcome === 'answer') return { ok: true, answer: ending.text, ...facts };
  return failure(CODES[ending.outcome], ending.text, facts);
}

function factsOf(activity: { readonly startedAt: number; readonly logs: readonly string[] }, ending: Ending): Facts {
  const ms = performance.now() - activity.startedAt;
  return ending.by === 'loss'
    ? { ms, logs: activity.logs, role: ending.role }
    : { ms, logs: activity.logs };
}

function loadResult(done: TaskEnd, loadMs: number): LoadResult {
  const { ending } = done;
  if (ending.by === 'guest' && ending.outcome === 'opened') return { ok: true, loadMs };
  if (ending.by === 'queue' || ending.by === 'full' || ending.by === 'closed' || ending.by === 'caller') {
    return { ok: false, code: 'load_timeout', detail: 'no sandbox came up in time' };
  }
  return { ok: false, ...loadFailure(ending.by === 'load' ? ending.load : ending) };
}

function loadFailure(ending: Ending): Pick<LoadResult & { readonly ok: false }, 'code' | 'detail'> {
  if (ending.by === 'cap') return { code: 'load_timeout', detail: '' };
  if (ending.by === 'loss') return { code: ending.isMemory ? 'memory' : 'crash', detail: 'the process died' };
  if (ending.by === 'caller') return { code: 'load_error', detail: 'the caller ended it' };
  if (ending.outcome === 'memory' || ending.outcome === 'crash') {
    return { code: ending.outcome, detail: 'during the load' };
  }
  return { code: 'load_error', detail: ending.text };
}
