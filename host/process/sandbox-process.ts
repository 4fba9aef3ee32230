import {
  answerBridge,
  keepLine,
  newActivity,
  type Activity,
  type Delivery,
  type Ending,
  type Errand,
} from './activity.ts';
import type { Child, Exit } from '../child.ts';
import { Deadlines } from '../deadlines.ts';
import { endingsOf } from './loss.ts';
import { messageOf } from './errand-message.ts';
import { isExpected } from './expected.ts';
import { Grace } from './grace.ts';
import type { FromChild } from '../messages.ts';
import { isQuick, PlaceBook } from './place-book.ts';
import type { ProcessOptions } from './process-options.ts';
import { PATIENCE_MS, Segment } from './segment.ts';
import { Stopping } from './stopping.ts';

/**
 * One process that runs hooks of one owner. It knows at every moment whose code runs there, so that when the process
 * is stuck or lost it can tell culprit from bystander.
 */
export class SandboxProcess {
  readonly child: Child;
  readonly places: PlaceBook;
  calls = 0;
  idleSince = performance.now();
  readonly #options: ProcessOptions;
  /** A few at a time. Tables that a map outgrows would keep what has ended until the whole heap is collected. */
  readonly #activities: Activity[] = [];
  readonly #deliveries: Delivery[] = [];
  /** Runs that were sent ahead, in the order that the child takes them up; those whose callers have gone among them. */
  readonly #line: Activity[] = [];
  /** Activities that were cancelled and have not been reported stopped. */
  readonly #stopping = new Stopping();
  readonly #segment: Segment;
  readonly #grace: Grace;
  readonly #caps = new Deadlines<Activity>(
    () => this.#activities,
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
    this.places = new PlaceBook(options.kind, options.maxPlaces, (place) =>
      child.send({ type: 'drop', place: place.id }),
    );
    child.listen({
      onMessage: (message) => this.#take(message),
      onExit: (exit) => this.#onExit(exit),
    });
  }

  get isFree(): boolean {
    return this.#hasLane && (this.#options.kind === 'worker' || this.#isOpen);
  }

  /** A run may be sent behind the code that runs: that is quick as a rule, and nobody waits for an answer of the host. */
  get takesBehind(): boolean {
    const running = this.#segment.activity;
    return (
      this.#options.kind === 'isolate' &&
      this.#hasLane &&
      running?.work.kind === 'run' &&
      !running.isOver &&
      isQuick(running.place) &&
      !this.places.isAnyWaiting &&
      this.#line.length < MAX_LINE &&
      this.#segment.busyMs < PATIENCE_MS
    );
  }

  get hasLine(): boolean {
    return this.#line.length > 0;
  }

  get isIdle(): boolean {
    return this.#activities.length === 0;
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
   * Starts work in a place, or sends a run there behind the code that runs. The runs that follow it are sent ahead too:
   * each begins when the one before it has plainly let pass, and is withdrawn otherwise.
   */
  start(errand: Errand, ...following: readonly Errand[]): void {
    const onAbort = (aborted: Activity): void => this.cancel(aborted, { by: 'caller' });
    const isBehind = this.#options.kind === 'isolate' && !this.#isOpen;
    const sent = [errand, ...following].map((each, at) => {
      const activity = newActivity((this.#lastId += 1), each, onAbort);
      activity.sentAs = at > 0 ? 'next' : isBehind ? 'behind' : 'run';
      each.place.users += 1;
      this.#activities.push(activity);
      return activity;
    });
    const messages = sent.map((each) => messageOf(each, each.sentAs));
    const first = isBehind ? undefined : sent.shift();
    this.#line.push(...sent);
    if (first !== undefined) this.#begin(first);
    this.child.send(...messages);
  }

  /** Ends an activity for its caller; the process is killed if the activity's code does not stop within the grace. */
  cancel(activity: Activity, ending: Ending): void {
    if (activity.isOver) return;
    // It stays in line, where it may have been taken up by now, and what comes of it does not count.
    if (activity.startedAt === Infinity) return this.#finish(activity, ending);
    if (this.#segment.isOf(activity.id)) this.releaseLine(true);
    this.#stop(activity);
    this.#finish(activity, ending);
    this.#grace.start();
  }

  /** Gives back the runs that wait behind code which takes long, or all that do; those of its own chain stay with it. */
  releaseLine(isWhole = false): void {
    const start = this.#line.findIndex(({ sentAs }) => isWhole || sentAs === 'behind');
    // Each goes first in the queue: the oldest last.
    const given = start < 0 ? [] : this.#line.slice(start).toReversed();
    for (const each of given.filter(({ isOver }) => !isOver)) {
      // What it does to the module when its turn comes would count twice.
      each.place.isDoomed = true;
      this.#finish(each, { by: 'withdrawn' });
    }
  }

  /** Has the child drop what an activity left in its place. */
  #stop({ id, place }: Activity): void {
    this.child.send({ type: 'cancel', id, place: place.id });
    this.places.remove(place);
    this.#stopping.add(id);
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

  /** Ends the segment, if it is that of this activity. */
  #leave(id: number): void {
    if (!this.#segment.isOf(id)) return;
    this.#segment.leave();
    this.#grace.stop();
  }

  get #hasLane(): boolean {
    return this.child.isAlive && this.#activities.length < this.#options.lanes;
  }

  /** No code runs, and none is about to. */
  get #isOpen(): boolean {
    return this.#segment.activity === undefined && this.#line.length === 0;
  }

  #take(message: FromChild): void {
    if (message.type === 'ready') return this.child.kill('garbage');
    const running = this.#segment.activity;
    const { id } = message;
    const named = running?.id === id ? running : this.#activities.find((each) => each.id === id);
    const isStopping = this.#stopping.has(message.id);
    const isFair = isExpected(message, { kind: this.#options.kind, running, named, isStopping });
    if (!isFair || (isStopping && !this.#stopping.mayGoOn())) return this.child.kill('garbage');
    switch (message.type) {
      case 'stopped':
        this.#stopping.end(message.id);
        this.#leave(message.id);
        return this.#free();
      case 'settle':
        return this.#onSettle(named, message);
      case 'yield':
        return named === running ? this.#onYield(named) : undefined;
      case 'unrun':
        return named === running ? this.#onUnrun(named) : undefined;
      case 'log':
        return named && keepLine(named, message.line);
      case 'bridge':
        return named?.isOver === false ? this.#onBridge(named, message) : undefined;
    }
  }

  #onSettle(activity: Activity | undefined, { outcome, text, isQuick }: Settled): void {
    if (activity === undefined) return this.#free();
    if (outcome === (activity.work.kind === 'run' ? 'opened' : 'answer'))
      return this.child.kill('garbage');
    this.places.vacate(activity.place, isQuick);
    this.#leave(activity.id);
    this.#finish(activity, { by: 'guest', outcome, text });
    // After an out-of-memory the engine's process is not to be trusted with another call.
    if (outcome === 'memory' && this.#options.kind === 'isolate') this.child.kill();
    else this.#free();
  }

  #onYield(activity: Activity | undefined): void {
    if (activity === undefined) return;
    this.#leave(activity.id);
    activity.place.isWaiting = true;
    // Nobody waits for it any more.
    if (activity.isOver && !this.#stopping.has(activity.id)) this.#stop(activity);
    this.#free();
  }

  #onUnrun(activity: Activity | undefined): void {
    if (activity === undefined) return;
    this.#leave(activity.id);
    this.places.leave(activity.place);
    this.#finish(activity, { by: 'withdrawn' });
    this.#free();
  }

  #onBridge(activity: Activity, { seq, text }: FromChild & { readonly type: 'bridge' }): void {
    const isFair = answerBridge(activity, text, (answer) =>
      this.#deliver({ activity, seq, text: answer }),
    );
    if (!isFair) this.child.kill('garbage');
  }

  #deliver(delivery: Delivery): void {
    if (delivery.activity.isOver || !this.child.isAlive) return;
    if (this.#options.kind === 'isolate' && this.#segment.activity !== undefined) {
      this.#deliveries.push(delivery);
      return;
    }
    const { activity, ...answer } = delivery;
    this.#enter(activity);
    this.child.send({ type: 'deliver', id: activity.id, ...answer });
  }

  /** Goes on with the line, else with a delivery, else tells the pool that there is room. */
  #free(): void {
    if (this.#segment.activity !== undefined) return;
    const ahead = this.#line.shift();
    if (ahead !== undefined) {
      // The child has taken it up, or is about to say that it does not; also one that nobody waits for any more.
      if (ahead.isOver) this.#enter(ahead);
      else this.#begin(ahead);
      // It may take as long as anybody would have let it.
      this.#grace.start(Math.max(this.#options.graceMs, ahead.capMs));
      return this.#options.events.onFree();
    }
    for (let next = this.#deliveries.shift(); next !== undefined; next = this.#deliveries.shift())
      if (!next.activity.isOver) return this.#deliver(next);
    if (this.isIdle) this.idleSince = performance.now();
    this.#options.events.onFree();
  }

  #finish(activity: Activity, ending: Ending): void {
    if (activity.isOver) return;
    activity.isOver = true;
    for (const timer of activity.timers) clearTimeout(timer);
    activity.unlisten?.();
    this.#activities.splice(this.#activities.indexOf(activity), 1);
    activity.onEnd(ending);
  }

  #onExit(exit: Exit): void {
    this.#caps.stop();
    this.#grace.stop();
    this.#line.length = 0;
    const loss = { exit, running: this.#segment.activity, isMemoryKill: this.#isMemoryKill };
    for (const ended of endingsOf([...this.#activities], loss)) this.#finish(...ended);
    this.places.clear();
    this.#options.events.onGone();
  }
}

type Settled = FromChild & { readonly type: 'settle' };

/** Runs that are sent ahead at most: enough that the child need not wait for the next. */
const MAX_LINE = 4;
