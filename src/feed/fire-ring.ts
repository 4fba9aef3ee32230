import type { ObservedFire, ObservedRun } from '../fire/observer.ts';
import type { KeptFire } from './trace.ts';

/** The newest fires, so many and no more. */
export interface FireRing {
  add(fire: ObservedFire): void;
  /** Notes a shadow run of a fire, if it is still there. */
  addShadow(fireId: string, run: ObservedRun): void;
  find(fireId: string): KeptFire | undefined;
  /** Those after a fire, oldest first; `undefined` when it is no longer there. */
  after(fireId: string): readonly KeptFire[] | undefined;
  /** At most so many, newest first. */
  newest(limit: number): readonly KeptFire[];
}

/** A ring of a capacity. */
export function createFireRing(capacity: number): FireRing {
  const slots: KeptFire[] = [];
  let added = 0;
  const at = (age: number): KeptFire | undefined => slots[(added - 1 - age) % capacity];
  /** How many fires ago; the newest ones are asked for most. */
  const ageOf = (fireId: string): number | undefined => {
    for (let age = 0; age < slots.length; age += 1) {
      if (at(age)?.fire.fireId === fireId) return age;
    }
    return undefined;
  };
  const newest = (limit: number): KeptFire[] =>
    Array.from({ length: Math.min(limit, slots.length) }, (_, age) => at(age)).filter(
      (kept) => kept !== undefined,
    );
  return {
    add(fire) {
      slots[added % capacity] = { fire, shadow: [] };
      added += 1;
    },
    addShadow(fireId, run) {
      const age = ageOf(fireId);
      if (age !== undefined) at(age)?.shadow.push(run);
    },
    find(fireId) {
      const age = ageOf(fireId);
      return age === undefined ? undefined : at(age);
    },
    after(fireId) {
      const age = ageOf(fireId);
      return age === undefined ? undefined : newest(age).toReversed();
    },
    newest,
  };
}
