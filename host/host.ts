import { availableParallelism } from 'node:os';
import { createCalls, type LoadedHook } from './calls.ts';
import { WORKER_THREADS } from './launch.ts';
import { residentMb, watchMemory } from './memory-watch.ts';
import type { Nurseries } from './nurseries.ts';
import { Pool } from './pool.ts';
import { loadResult } from './results.ts';
import type { SandboxProcess } from './process/sandbox-process.ts';
import type {
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
  /** Where its processes come from; it closes them. */
  readonly nurseries: Nurseries;
}

/** Memory of a process before any isolate, with room for V8's own, in MiB. */
const BASE_MB = 160;
/** Processes of one package at once; more sessions than isolates in them wait their turn. */
const MAX_PROCESSES = 4;
const CORES = availableParallelism();
/** Looks for idle processes this many times in `idleMs`. */
const IDLE_CHECKS = 4;

/** Opens a host. Processes start as hooks are loaded. */
export function openHost(options: HostOptions): Host {
  const { limits, nurseries } = options;
  const loaded = new Map<string, LoadedHook>();
  const pools = new Map<string, Pool>();
  let isClosed = false;

  const isIdleCore = (): boolean => {
    const all = [...pools.values()].flatMap((pool) => pool.processes);
    return all.filter((process) => process.busyMs > 0).length < CORES;
  };
  const poolOf = (source: HookSource): Pool => {
    const key = `${source.sandbox} ${source.owner}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = new Pool({
        kind: source.sandbox,
        limits,
        nursery: nurseries[source.sandbox],
        isIdleCore,
        maxProcesses: source.sandbox === 'isolate' ? MAX_PROCESSES : 1,
        lanes: source.sandbox === 'isolate' ? limits.maxIsolates : WORKER_THREADS,
      });
      pools.set(key, pool);
    }
    return pool;
  };

  function* processes(kind: SandboxKind): Generator<SandboxProcess> {
    for (const [key, pool] of pools) if (key.startsWith(kind)) yield* pool.processes;
  }
  const stopWatch = watchMemory(
    () => processes('isolate'),
    (process) => limits.rssMb ?? BASE_MB + process.places.memoryMb,
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
    nurseries.close();
  };
  process.on('exit', killAll);

  function declare(source: HookSource): Pool {
    const pool = poolOf(source);
    loaded.set(source.name, { source, pool });
    return pool;
  }

  function load(source: HookSource, pool: Pool, isWarmUp = false): Promise<LoadResult> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      pool.submit({
        source,
        sessionId: '',
        work: { kind: 'load' },
        capMs: limits.loadMs,
        isWarmUp,
        onDone: (done) => resolve(loadResult(done, performance.now() - startedAt)),
      });
    });
  }

  const callInLine = createCalls((name) => (isClosed ? undefined : loaded.get(name)), limits);

  return {
    expect({ isolate, worker }) {
      nurseries.isolate.expect(isolate);
      nurseries.worker.expect(worker);
    },
    declare,
    load: (source) => load(source, declare(source)),
    async warm(name) {
      const hook = loaded.get(name);
      return hook === undefined || isClosed ? undefined : load(hook.source, hook.pool, true);
    },
    call: (call) => callInLine([call])[0],
    callInLine,
    unload(name) {
      const hook = loaded.get(name);
      if (hook === undefined) return;
      loaded.delete(name);
      const { pool, source } = hook;
      if ([...loaded.values()].some((other) => other.pool === pool)) {
        for (const process of pool.processes) process.places.dropHook(name);
        return;
      }
      pools.delete(`${source.sandbox} ${source.owner}`);
      pool.close();
    },
    endSession(sessionId) {
      for (const pool of pools.values()) pool.dropSession(sessionId);
    },
    processes: () =>
      [...pools].flatMap(([key, pool]) =>
        pool.processes
          .filter(({ child }) => child.isAlive)
          .map(({ child, calls }): ProcessFacts => ({
            owner: key.slice(key.indexOf(' ') + 1),
            sandbox: key.slice(0, key.indexOf(' ')) as SandboxKind,
            pid: child.pid,
            rssMb: residentMb(child.pid) ?? 0,
            calls,
            layers: child.layers,
          })),
      ),
    loads: () =>
      (['isolate', 'worker'] as const).map((sandbox) => ({
        sandbox,
        queued: [...pools]
          .filter(([key]) => key.startsWith(sandbox))
          .reduce((sum, [, pool]) => sum + pool.queued, 0),
        started: nurseries[sandbox].started,
      })),
    async close() {
      isClosed = true;
      stopWatch();
      clearInterval(idleTimer);
      const ends = [...pools.values()].flatMap((pool) =>
        pool.processes.map(({ child }) => child.gone),
      );
      const spares = [nurseries.isolate, nurseries.worker].flatMap(({ warm }) =>
        warm.map((child) => child.gone),
      );
      killAll();
      process.off('exit', killAll);
      await Promise.all([...ends, ...spares]);
    },
  };
}
