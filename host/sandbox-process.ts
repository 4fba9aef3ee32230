import {
  answerBridge,
  keepLine,
  type Activity,
  type Ending,
  type Place,
  type Work,
} from './activity.ts';
import type { Child, Exit } from './child.ts';
import { Deadlines } from './deadlines.ts';
import type { FromChild } from './messages.ts';
import { PlaceBook } from './place-book.ts';
import type { SandboxKind } from './sandbox.ts';
import { Segment } from './segment.ts';

/** What a process tells its pool. */
export interface ProcessEvents {
  /** It may take work again. */
  readonly onFree: () => void;
  readonly onGone: (process: SandboxProcess) => void;
}

/** What a process is made with. */
export interface ProcessOptions {
  readonly kind: SandboxKind;
  readonly graceMs: number;
  readonly maxPlaces: number;
  /** Activities at once: in an isolate process one *segment* runs at a time, however many wait. */
  readonly lanes: number;
  readonly events: ProcessEvents;
}

/** An answer of the host that waits until the process is free to take it in. */
interface Delivery {
  readonly activity: Activity;
  readonly seq: number;
  readonly text: string;
}

/**
 * One process that runs hooks of one owner. It knows at every moment whose code runs there, so that when the process
 * is stuck or lost it can tell culprit from bystander.
 */
export class SandboxProcess {
  readonly child: Child;
  readonly places: PlaceBook;
  calls = 0;
  idleSince: number;
  readonly #options: ProcessOptions;
  readonly #activities = new Map<number, Activity>();
  readonly #deliveries: Delivery[] = [];
  readonly #segment: Segment;
  readonly #caps = new Deadlines<Activity>(
    () => this.#activities.values(),
    (activity) => this.cancel(activity, { by: 'cap' }),
  );
  #lastId = 0;
  #isMemoryKill = false;
  #graceTimer: NodeJS.Timeout | undefined;

  constructor(child: Child, options: ProcessOptions) {
    this.child = child;
    this.#segment = new Segment(child.pid);
    this.#options = options;
    this.idleSince = performance.now();
    this.places = new PlaceBook(options.kind, options.maxPlaces, (place) =>
      child.send({ type: 'drop', place: place.id }),
    );
    child.listen({
      onMessage: (message) => this.#take(message),
      onExit: (exit) => this.#onExit(exit),
    });
  }

  get isFree(): boolean {
    if (!this.child.isAlive) return false;
    if (this.#options.kind === 'worker') return this.#activities.size < this.#options.lanes;
    return this.#segment.activity === undefined && this.#activities.size < this.#options.lanes;
  }

  get isIdle(): boolean {
    return this.#activities.size === 0;
  }

  /** How long the code that runs now has been running, in milliseconds; 0 when none does. */
  get busyMs(): number {
    return this.#segment.busyMs;
  }

  /** The code that runs has been running for much longer than usual. */
  get isSlow(): boolean {
    return this.#segment.isSlow;
  }

  /** Starts work in a place. `onEnd` is called once, at the cap at the latest, before the process takes other work. */
  start(
    place: Place,
    work: Work,
    options: {
      readonly capMs: number;
      readonly onEnd: (ending: Ending, activity: Activity) => void;
    },
  ): Activity {
    this.#lastId += 1;
    const startedAt = performance.now();
    const activity: Activity = {
      id: this.#lastId,
      work,
      place,
      startedAt,
      dueAt: startedAt + options.capMs,
      logs: [],
      hasWritten: false,
      isOver: false,
      bridgeCalls: 0,
      timers: new Set(),
      onEnd: (ending) => options.onEnd(ending, activity),
    };
    place.isBusy = true;
    this.#activities.set(activity.id, activity);
    this.#enter(activity);
    this.calls += 1;
    const { id } = activity;
    if (work.kind === 'run') {
      this.child.send({ type: 'run', id, place: place.id, ops: work.ops, input: work.input });
    } else {
      const { name, contract, config, code, file, memoryMb, declared } = place.source;
      const input = JSON.stringify({ name, points: [], ...declared, config });
      const hook = { name, contract, input, code, file, memoryMb };
      this.child.send({ type: 'open', id, place: place.id, hook });
    }
    this.#caps.watch(activity);
    return activity;
  }

  /** Ends an activity for its caller; the process is killed if the activity's code does not stop within the grace. */
  cancel(activity: Activity, ending: Ending): void {
    if (activity.isOver) return;
    this.child.send({ type: 'cancel', id: activity.id, place: activity.place.id });
    this.places.remove(activity.place);
    this.#finish(activity, ending);
    this.#startGrace();
  }

  /** Kills the process for the memory it holds; the activity whose code runs is the culprit. */
  killForMemory(): void {
    this.#isMemoryKill = true;
    this.child.kill();
  }

  #enter(activity: Activity): void {
    if (this.#options.kind === 'isolate') this.#segment.enter(activity);
  }

  #leave(): void {
    this.#segment.leave();
    clearTimeout(this.#graceTimer);
    this.#graceTimer = undefined;
  }

  /** Arms the kill of a process whose running code belongs to an activity that is over. */
  #startGrace(): void {
    if (this.#graceTimer !== undefined) return;
    const isStuck = (): boolean =>
      this.#options.kind === 'worker' ? this.#stopping.size > 0 : this.#segment.isStuck;
    if (!isStuck()) return;
    this.#graceTimer = setTimeout(() => {
      this.#graceTimer = undefined;
      if (isStuck()) this.child.kill();
    }, this.#options.graceMs);
  }

  /** Activities that were cancelled and have not been reported stopped. */
  readonly #stopping = new Set<number>();

  /** An honest child speaks of what it was asked for alone; of a cancelled activity until it has stopped. */
  #isExpected(message: FromChild): boolean {
    if (message.type === 'ready') return false;
    const { type, id } = message;
    if (this.#stopping.has(id)) return true;
    if (type === 'stopped' || !this.#activities.has(id)) return false;
    const isEnd = this.#options.kind === 'isolate' && (type === 'settle' || type === 'yield');
    return !isEnd || this.#segment.isOf(id);
  }

  #take(message: FromChild): void {
    if (!this.#isExpected(message)) return this.child.kill('garbage');
    switch (message.type) {
      case 'ready':
        return;
      case 'stopped':
        return this.#onStopped(message.id);
      case 'settle':
        return this.#onSettle(message.id, { by: 'guest', ...message });
      case 'yield':
        return this.#onYield(message.id);
      case 'log': {
        const activity = this.#activities.get(message.id);
        if (activity !== undefined) keepLine(activity, message.line);
        return;
      }
      case 'bridge':
        return this.#onBridge(message.id, message.seq, message.text);
    }
  }

  #onSettle(id: number, ending: Ending & { readonly by: 'guest' }): void {
    const activity = this.#activities.get(id);
    const wrong = activity?.work.kind === 'run' ? 'opened' : 'answer';
    if (activity !== undefined && ending.outcome === wrong) return this.child.kill('garbage');
    if (this.#segment.isOf(id)) this.#leave();
    if (activity === undefined) return this.#free();
    // After an out-of-memory the engine's process is not to be trusted with another call.
    if (ending.outcome === 'memory' && this.#options.kind === 'isolate') {
      this.places.remove(activity.place);
      this.#finish(activity, ending);
      this.child.kill();
      return;
    }
    activity.place.isBusy = false;
    activity.place.lastUsedAt = performance.now();
    this.#finish(activity, ending);
    this.#free();
  }

  #onYield(id: number): void {
    if (!this.#segment.isOf(id)) return;
    this.#leave();
    this.#free();
  }

  #onBridge(id: number, seq: number, text: string): void {
    const activity = this.#activities.get(id);
    if (activity === undefined || activity.isOver) return;
    const isFair = answerBridge(activity, text, (answer) =>
      this.#deliver({ activity, seq, text: answer }),
    );
    if (!isFair) this.child.kill('garbage');
  }

  #onStopped(id: number): void {
    this.#stopping.delete(id);
    if (this.#segment.isOf(id)) this.#leave();
    this.#free();
  }

  #deliver(delivery: Delivery): void {
    if (delivery.activity.isOver || !this.child.isAlive) return;
    if (this.#options.kind === 'isolate' && this.#segment.activity !== undefined) {
      this.#deliveries.push(delivery);
      return;
    }
    this.#enter(delivery.activity);
    this.child.send({
      type: 'deliver',
      id: delivery.activity.id,
      seq: delivery.seq,
      text: delivery.text,
    });
  }

  /** Takes the next delivery, else tells the pool that there is room. */
  #free(): void {
    if (this.#segment.activity !== undefined) return;
    for (let next = this.#deliveries.shift(); next !== undefined; next = this.#deliveries.shift()) {
      if (next.activity.isOver) continue;
      return this.#deliver(next);
    }
    if (this.isIdle) this.idleSince = performance.now();
    this.#options.events.onFree();
  }

  #finish(activity: Activity, ending: Ending): void {
    if (activity.isOver) return;
    activity.isOver = true;
    for (const timer of activity.timers) clearTimeout(timer);
    this.#activities.delete(activity.id);
    if (ending.by === 'cap' || ending.by === 'caller') this.#stopping.add(activity.id);
    activity.onEnd(ending);
  }

  #onExit(exit: Exit): void {
    this.#caps.stop();
    clearTimeout(this.#graceTimer);
    const lost = [...this.#activities.values()];
    const segment = this.#segment.activity;
    const culprit = segment ?? (lost.length === 1 && exit !== 'killed' ? lost[0] : undefined);
    for (const activity of lost) {
      const role = activity === culprit && !segment?.isOver ? 'culprit' : 'bystander';
      this.#finish(activity, {
        by: 'loss',
        role,
        isMemory: this.#isMemoryKill && role === 'culprit',
      });
    }
    this.places.clear();
    this.#options.events.onGone(this);
  }
}
