import {
  answerBridge,
  keepLine,
  newActivity,
  type Activity,
  type Ending,
  type Errand,
} from './activity.ts';
import type { Child, Exit } from '../child.ts';
import { Deadlines } from '../deadlines.ts';
import { messageOf } from './errand-message.ts';
import { Grace } from './grace.ts';
import type { FromChild } from '../messages.ts';
import { PlaceBook } from './place-book.ts';
import type { ProcessOptions } from './process-options.ts';
import { Segment } from './segment.ts';

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
  /** Runs that were sent ahead, in the order that the child takes them up. */
  readonly #line: Activity[] = [];
  readonly #segment: Segment;
  readonly #grace: Grace;
  readonly #caps = new Deadlines<Activity>(
    () => this.#activities.values(),
    (activity) => this.cancel(activity, { by: 'cap' }),
  );
  #lastId = 0;
  #isMemoryKill = false;

  constructor(child: Child, options: ProcessOptions) {
    this.child = child;
    this.#segment = new Segment(child.pid);
    this.#options = options;
    const isStuck = (): boolean =>
      options.kind === 'worker' ? this.#stopping.size > 0 : this.#segment.isStuck;
    this.#grace = new Grace(options.graceMs, isStuck, () => child.kill());
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

  /**
   * Starts work in a place. The runs that follow are sent ahead: each begins when the one before it has plainly let
   * pass, and is withdrawn otherwise.
   */
  start(errand: Errand, ...following: readonly Errand[]): void {
    const onAbort = (aborted: Activity): void => this.cancel(aborted, { by: 'caller' });
    const [first, ...line] = [errand, ...following].map((each) => {
      this.#lastId += 1;
      const activity = newActivity(this.#lastId, each, onAbort);
      each.place.isBusy = true;
      this.#activities.set(activity.id, activity);
      return activity;
    }) as [Activity, ...Activity[]];
    for (const each of line) each.isAhead = true;
    this.#line.push(...line);
    this.#begin(first);
    this.child.send(messageOf(first, 'run'), ...line.map((each) => messageOf(each, 'next')));
  }

  /** Ends an activity for its caller; the process is killed if the activity's code does not stop within the grace. */
  cancel(activity: Activity, ending: Ending): void {
    if (activity.isOver) return;
    const line = this.#segment.isOf(activity.id) ? this.#line.splice(0) : [];
    this.#giveUp(activity, ending);
    // What the child may have made of them by now does not count.
    for (const each of line) this.#giveUp(each, { by: 'withdrawn' });
    this.#grace.start();
  }

  #giveUp(activity: Activity, ending: Ending): void {
    if (activity.isOver) return;
    this.child.send({ type: 'cancel', id: activity.id, place: activity.place.id });
    this.places.remove(activity.place);
    this.#stopping.add(activity.id);
    this.#finish(activity, ending);
  }

  /** Kills the process for the memory it holds; the activity whose code runs is the culprit. */
  killForMemory(): void {
    this.#isMemoryKill = true;
    this.child.kill();
  }

  #begin(activity: Activity): void {
    activity.startedAt = performance.now();
    activity.dueAt = activity.startedAt + activity.capMs;
    this.calls += 1;
    this.#enter(activity);
    this.#caps.watch(activity);
  }

  #enter(activity: Activity): void {
    if (this.#options.kind === 'isolate') this.#segment.enter(activity);
  }

  #leave(): void {
    this.#segment.leave();
    this.#grace.stop();
  }

  /** Activities that were cancelled and have not been reported stopped. */
  readonly #stopping = new Set<number>();

  /** An honest child speaks of what it was asked for alone; of a cancelled activity until it has stopped. */
  #isExpected(message: FromChild): boolean {
    if (message.type === 'ready') return false;
    const { type, id } = message;
    if (this.#stopping.has(id)) return true;
    const activity = this.#activities.get(id);
    if (type === 'stopped' || activity === undefined) return false;
    // Nothing comes of a run before its turn, and what has made itself heard was not left out.
    if (activity.startedAt === Infinity || (type === 'unrun' && !activity.isAhead)) return false;
    if (type === 'log' || type === 'bridge') activity.isAhead = false;
    const isEnd = this.#options.kind === 'isolate' && ENDS.has(type);
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
      case 'unrun':
        return this.#onUnrun(message.id);
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

  #onUnrun(id: number): void {
    const activity = this.#activities.get(id);
    if (activity === undefined) return;
    activity.place.isBusy = false;
    this.#finish(activity, { by: 'withdrawn' });
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

  /** Goes on with the line, else with a delivery, else tells the pool that there is room. */
  #free(): void {
    if (this.#segment.activity !== undefined) return;
    for (let ahead = this.#line.shift(); ahead !== undefined; ahead = this.#line.shift()) {
      // The child has taken it up, or is about to say that it does not.
      if (!ahead.isOver) return this.#begin(ahead);
    }
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
    activity.unlisten?.();
    this.#activities.delete(activity.id);
    activity.onEnd(ending);
  }

  #onExit(exit: Exit): void {
    this.#caps.stop();
    this.#grace.stop();
    this.#line.length = 0;
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
    this.#options.events.onGone();
  }
}

/** Messages of an isolate process that end a segment. */
const ENDS: ReadonlySet<FromChild['type']> = new Set(['settle', 'yield', 'unrun']);
