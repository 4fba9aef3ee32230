import type { Activity, Ending, Place } from './process/activity.ts';
import type { Child } from './child.ts';
import { Deadlines } from './deadlines.ts';
import { isCrowded, isNeedless } from './process/crowd.ts';
import { hasRun, lineIn, MAX_AHEAD_CHARS } from './process/line.ts';
import type { Nursery } from './nursery.ts';
import type { HostLimits, SandboxKind } from './sandbox.ts';
import { SandboxProcess } from './process/sandbox-process.ts';
import { PATIENCE_MS } from './process/segment.ts';
import { queuedOf, type Queued, type Task } from './task.ts';

/** What a pool is made with. */
export interface PoolOptions {
  readonly kind: SandboxKind;
  readonly limits: HostLimits;
  readonly nursery: Nursery;
  readonly maxProcesses: number;
  /** Whether a further process would have a processor to itself. */
  readonly isIdleCore: () => boolean;
  readonly lanes: number;
}

/** The first load of a hook waits for a process to start; many start at once when a runtime opens. */
const LOAD_QUEUE_MS = 15_000;

/** The processes of one owner and the queue before them. */
export class Pool {
  readonly processes: SandboxProcess[] = [];
  readonly #options: PoolOptions;
  readonly #queue: Queued[] = [];
  readonly #waits = new Deadlines<Queued>(
    () => this.#queue,
    (entry) => this.#give(entry, 'queue'),
  );
  #isClosed = false;
  #isExpecting: (() => void) | undefined;
  #recheck: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Takes a task: it starts at once where it can, else waits its turn for `queueMs` at most. */
  submit(task: Task): void {
    const { limits } = this.#options;
    if (this.#isClosed) return task.onDone({ type: 'refused', by: 'closed' });
    if (task.signal?.aborted === true) return task.onDone({ type: 'refused', by: 'caller' });
    const entry = queuedOf(task);
    if (this.#queue.length === 0 && this.#tryStart(entry, true)) return;
    if (this.#queue.length >= limits.queueLength)
      return task.onDone({ type: 'refused', by: 'full' });
    this.#enqueue(entry);
    this.#pump();
  }

  get queued(): number {
    return this.#queue.length;
  }

  dropSession(sessionId: string): void {
    for (const process of this.processes) process.places.dropSession(sessionId);
  }

  /** Ends processes that have had nothing to do since `idleMs`. */
  stopIdle(idleMs: number): void {
    const now = performance.now();
    for (const process of this.processes) {
      if (process.isIdle && now - process.idleSince >= idleMs) process.child.kill();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#recheck);
    this.#waits.stop();
    this.#isExpecting?.();
    for (const entry of this.#queue.splice(0)) this.#refuse(entry, 'closed');
    for (const process of this.processes) process.child.kill();
  }

  #enqueue(entry: Queued, isFirst = false): void {
    if (isFirst) this.#queue.unshift(entry);
    else this.#queue.push(entry);
    const waitMs = entry.task.work.kind === 'load' ? LOAD_QUEUE_MS : this.#options.limits.queueMs;
    // What comes back without having run has waited already.
    if (entry.dueAt === Infinity) entry.since = performance.now();
    entry.dueAt = entry.since + waitMs;
    this.#waits.watch(entry);
    const { signal } = entry.task;
    const onAbort = (): void => this.#give(entry, 'caller');
    signal?.addEventListener('abort', onAbort, { once: true });
    entry.unlisten = () => signal?.removeEventListener('abort', onAbort);
  }

  /** Takes an entry out of the queue for good. */
  #give(entry: Queued, by: 'queue' | 'caller'): void {
    const at = this.#queue.indexOf(entry);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    this.#refuse(entry, by);
  }

  #refuse(entry: Queued, by: 'queue' | 'caller' | 'closed'): void {
    entry.unlisten?.();
    entry.task.onDone({ type: 'refused', by });
  }

  /** Starts what can start, in order; a task may overtake one whose own place is busy. */
  #pump(): void {
    for (let at = 0; at < this.#queue.length && !this.#isClosed;) {
      const entry = this.#queue[at] as Queued;
      // What needs a free process is not to wait for ever behind what does not.
      const mayFollow = at === 0;
      if (!this.processes.some((each) => each.isFree || (mayFollow && each.takesBehind))) break;
      if (this.#tryStart(entry, mayFollow)) {
        this.#queue.splice(this.#queue.indexOf(entry), 1);
        entry.unlisten?.();
        at = 0;
      } else {
        at += 1;
      }
    }
    // With processes there, a look at them now and then is enough.
    const isDue = this.#recheck === undefined || this.processes.length === 0;
    if (this.#queue.length > 0 && isDue) this.#expect();
  }

  /** Finds a process for the task and starts it there, behind the code that runs if it may. */
  #tryStart(entry: Queued, mayFollow: boolean): boolean {
    const { task } = entry;
    if (isNeedless(task, this.processes)) {
      task.onDone({ type: 'up' });
      return true;
    }
    let roomy: SandboxProcess | undefined;
    let isWorthWaiting = false;
    for (const process of this.processes) {
      const place = process.places.find(task.source.name, task.sessionId);
      if (process.isFree) {
        if (place !== undefined) {
          this.#start(process, place, entry);
          return true;
        }
        if (roomy === undefined || process.places.size < roomy.places.size) roomy = process;
      } else if (place !== undefined && process.child.isAlive && !process.isSlow) {
        isWorthWaiting = true;
      }
    }
    if (mayFollow && !entry.isDirect && this.#tryBehind(entry)) return true;
    if (roomy === undefined || isWorthWaiting) return false;
    const place = roomy.places.add(task.source);
    if (place === undefined) return false;
    this.#start(roomy, place, entry);
    return true;
  }

  /** Sends a run behind the code that runs where its session has a place. */
  #tryBehind(entry: Queued): boolean {
    const { source, sessionId, work } = entry.task;
    if (work.kind !== 'run' || work.input.length > MAX_AHEAD_CHARS) return false;
    for (const process of this.processes) {
      if (!process.takesBehind) continue;
      const place = process.places.findBehind(source.name, sessionId);
      if (place === undefined) continue;
      this.#run(process, place, entry);
      this.#lookAgain();
      return true;
    }
    return false;
  }

  #start(process: SandboxProcess, place: Place, entry: Queued): void {
    const { task } = entry;
    if (place.isLoaded || task.work.kind === 'load') return this.#run(process, place, entry);
    process.start({
      place,
      work: { kind: 'load' },
      capMs: this.#options.limits.loadMs,
      signal: task.signal,
      onEnd: (load, activity) => {
        if (load.by === 'caller') return task.onDone({ type: 'refused', by: 'caller' });
        const isLoaded = load.by === 'guest' && load.outcome === 'opened';
        if (isLoaded) {
          place.isLoaded = true;
          return this.#run(process, place, entry);
        }
        if (load.by === 'loss' && load.role === 'bystander' && !entry.isSecond)
          return this.#again(entry, activity);
        task.onDone({ type: 'not-loaded', ending: load });
      },
    });
  }

  #run(process: SandboxProcess, place: Place, entry: Queued): void {
    const { task } = entry;
    const isIsolate = this.#options.kind === 'isolate';
    if (task.work.kind === 'run' && isIsolate) place.sessionId = task.sessionId;
    const own = {
      place,
      work: task.work,
      capMs: entry.capMs,
      signal: task.signal,
      onEnd: (ending: Ending, ended: Activity): void => {
        if (task.work.kind === 'load')
          place.isLoaded = ending.by === 'guest' && ending.outcome === 'opened';
        if (ending.by === 'withdrawn') this.#requeue({ ...entry, isDirect: true });
        else if (hasRun(ending, ended) || entry.isSecond)
          task.onDone({ type: 'ended', ending, activity: ended });
        else this.#again(entry, ended);
      },
    };
    // What followed the first time has been told that it did not run.
    const mayLead = isIsolate && !entry.isSecond && !entry.isDirect;
    process.start(own, ...(mayLead ? lineIn(process, place, task) : []));
  }

  /** Runs a bystander once more, first in line, within what is left of its cap. */
  #again(entry: Queued, activity: Activity): void {
    const isLoad = activity.work.kind === 'load';
    const leftMs = isLoad ? entry.capMs : entry.capMs - (performance.now() - activity.startedAt);
    if (leftMs < 1 || this.#isClosed) {
      const ending = { by: 'loss', role: 'bystander', isMemory: false } as const;
      entry.task.onDone({ type: 'ended', ending, activity });
      return;
    }
    this.#requeue({ ...entry, capMs: leftMs, isSecond: true, dueAt: Infinity });
  }

  /** Puts first in line what came to nothing in its process. */
  #requeue(entry: Queued): void {
    if (this.#isClosed) return entry.task.onDone({ type: 'refused', by: 'closed' });
    this.#enqueue({ ...entry, unlisten: undefined }, true);
    queueMicrotask(() => this.#pump());
  }

  /** Looks again soon, and asks for one more process when all there are stuck, full or gone. */
  #expect(): void {
    const alive = this.processes.filter((process) => process.child.isAlive);
    const areAllHeld = alive.every(
      (process) => !process.isFree && (process.busyMs === 0 || process.isSlow),
    );
    const isWanted =
      alive.length === 0 ||
      (alive.length < this.#options.maxProcesses && (areAllHeld || this.#wantsMore()));
    if (isWanted && this.#isExpecting === undefined) {
      let isHere = false;
      const takeBack = this.#options.nursery.take((child) => {
        isHere = true;
        this.#isExpecting = undefined;
        this.#adopt(child);
      });
      // A warm child was handed over before `take` returned.
      if (!isHere) this.#isExpecting = takeBack;
    }
    this.#lookAgain();
  }

  /** More sessions come than get done, and a further process would not take the processor of one at work. */
  #wantsMore(): boolean {
    return this.#options.isIdleCore() && isCrowded(this.#queue, this.processes);
  }

  #lookAgain(): void {
    this.#recheck ??= setTimeout(() => {
      this.#recheck = undefined;
      for (const process of this.processes) if (process.isSlow) process.releaseLine();
      this.#pump();
      if (this.processes.some(({ hasLine }) => hasLine)) this.#lookAgain();
    }, PATIENCE_MS);
  }

  #adopt(child: Child): void {
    if (this.#isClosed) return child.kill();
    // It may have died between its first word and now.
    if (!child.isAlive) return this.#pump();
    const process = new SandboxProcess(child, {
      kind: this.#options.kind,
      graceMs: this.#options.limits.graceMs,
      maxPlaces: this.#options.kind === 'isolate' ? this.#options.limits.maxIsolates : Infinity,
      lanes: this.#options.lanes,
      events: {
        onFree: () => {
          if (this.#queue.length > 0) this.#pump();
        },
        onGone: () => this.#onGone(process),
      },
    });
    this.processes.push(process);
    this.#pump();
  }

  #onGone(process: SandboxProcess): void {
    const at = this.processes.indexOf(process);
    if (at >= 0) this.processes.splice(at, 1);
    this.#options.nursery.fillLater();
    if (this.#queue.length > 0 && !this.#isClosed) this.#pump();
  }
}
