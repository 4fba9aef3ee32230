import type { Place } from './activity.ts';
import type { HookSource, SandboxKind } from '../sandbox.ts';

/** The places of one process: which hook of which session is loaded where. */
export class PlaceBook {
  readonly #kind: SandboxKind;
  readonly #maxPlaces: number;
  readonly #onDrop: (place: Place) => void;
  readonly #places: Place[] = [];
  #lastId = 0;

  /** `onDrop` tells the child of a place that is given up. */
  constructor(kind: SandboxKind, maxPlaces: number, onDrop: (place: Place) => void) {
    this.#kind = kind;
    this.#maxPlaces = maxPlaces;
    this.#onDrop = onDrop;
  }

  get size(): number {
    return this.#places.length;
  }

  /** Memory that the places may hold together, in MiB. */
  get memoryMb(): number {
    return this.#places.reduce((sum, { source }) => sum + source.memoryMb, 0);
  }

  /** A place for the hook in the session that nothing runs in: one of the session, else a fresh one. */
  find(hook: string, sessionId: string): Place | undefined {
    let fresh: Place | undefined;
    for (const place of this.#places) {
      if (place.source.name !== hook) continue;
      // A module in worker threads serves any number of runs, of any session: local hooks are the user's own code.
      if (this.#kind === 'worker') return place;
      if (place.users > 0 || place.isDoomed) continue;
      if (place.sessionId === sessionId) return place;
      if (place.sessionId === undefined) fresh ??= place;
    }
    return fresh;
  }

  /** A place of the session where a run can be sent behind another: its runs have been quick. */
  findBehind(hook: string, sessionId: string): Place | undefined {
    return this.#places.find(
      (place) =>
        place.source.name === hook &&
        place.sessionId === sessionId &&
        !place.isDoomed &&
        isQuick(place),
    );
  }

  /** An activity waits for a bridge or timer; its answer is not to wait behind a line. */
  get isAnyWaiting(): boolean {
    return this.#places.some(({ isWaiting }) => isWaiting);
  }

  /** Whether the session has a place of the hook, busy or not. */
  has(hook: string, sessionId: string): boolean {
    return this.#places.some(
      (place) => place.source.name === hook && place.sessionId === sessionId,
    );
  }

  /** Whether the hook is loaded in any place. */
  isUp(hook: string): boolean {
    return this.#places.some(
      ({ source, isLoaded, isDoomed }) => source.name === hook && isLoaded && !isDoomed,
    );
  }

  /** Makes room and adds a place that is still to be loaded; `undefined` when every place is busy. */
  add(source: HookSource): Place | undefined {
    if (this.#places.length >= this.#maxPlaces && !this.#evict()) return undefined;
    this.#lastId += 1;
    const place: Place = {
      id: this.#lastId,
      source,
      sessionId: undefined,
      isLoaded: false,
      users: 0,
      isWaiting: false,
      isDoomed: false,
      quickRuns: 0,
      lastUsedAt: performance.now(),
    };
    this.#places.push(place);
    return place;
  }

  /** An activity has ended in a place, at once or after a while. */
  vacate(place: Place, wasQuick: boolean): void {
    place.quickRuns = wasQuick ? place.quickRuns + 1 : 0;
    place.isWaiting = false;
    place.lastUsedAt = performance.now();
    this.leave(place);
  }

  /** One activity less has a place. */
  leave(place: Place): void {
    place.users -= 1;
    if (place.isDoomed && place.users === 0 && this.#places.includes(place)) this.#drop(place);
  }

  /** Takes a place out of the book; the child knows already. */
  remove(place: Place): void {
    const at = this.#places.indexOf(place);
    if (at >= 0) this.#places.splice(at, 1);
  }

  dropSession(sessionId: string): void {
    this.#dropIdle((place) => place.sessionId === sessionId);
  }

  dropHook(hook: string): void {
    this.#dropIdle((place) => place.source.name === hook);
  }

  clear(): void {
    this.#places.length = 0;
  }

  #evict(): boolean {
    let oldest: Place | undefined;
    for (const place of this.#places) {
      if (place.users === 0 && (oldest === undefined || place.lastUsedAt < oldest.lastUsedAt))
        oldest = place;
    }
    if (oldest === undefined) return false;
    this.#drop(oldest);
    return true;
  }

  #dropIdle(isMeant: (place: Place) => boolean): void {
    for (const place of this.#places.filter(isMeant)) {
      if (place.users === 0) this.#drop(place);
      else place.isDoomed = true;
    }
  }

  #drop(place: Place): void {
    this.remove(place);
    this.#onDrop(place);
  }
}

/** Whether runs in a place may have others behind them, which they would hold up if they took long. */
export function isQuick({ quickRuns }: Place): boolean {
  return quickRuns >= QUICK_RUNS;
}

const QUICK_RUNS = 8;
