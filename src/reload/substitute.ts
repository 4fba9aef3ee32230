import { SignalboxError } from '../../sdk/errors.ts';
import { rigCatalog, type Rig } from '../rig.ts';
import { openEdition, type House } from './edition.ts';
import type { Editions } from './editions.ts';

/** What stands in for hooks, and who is told at the moment at which it does, and at which it no longer does. */
export interface StandIn {
  readonly rig: Rig;
  readonly onBegin: () => void;
  readonly onEnd: () => void;
}

/**
 * Puts what a rig makes of the hooks in their place, in turns that run as well. Gives back what ends that at once, which
 * another change of the hooks does too.
 */
export type Substitute = (standIn: StandIn) => Promise<() => void>;

/** Hooks that stand in for those of the configuration, one at a time. */
export interface Substitution {
  readonly begin: Substitute;
  /** Does nothing where none is at work. */
  end(): void;
}

/** Makes it. No other change may be on its way while it begins or is ended from without. */
export function createSubstitution(
  house: House,
  editions: Editions,
  nextNumber: () => number,
): Substitution {
  let end: (() => void) | undefined;
  return {
    async begin({ rig, onBegin, onEnd }) {
      if (end !== undefined) throw new SignalboxError('internal');
      const before = editions.current;
      const { config, configured, found } = before;
      const draft = { config, configured, previous: before };
      const open = (hooks: typeof found) =>
        openEdition(house, { ...draft, number: nextNumber(), found: hooks });
      const other = await open(rigCatalog(found, rig));
      // Ready before it is needed: the hooks come back from one call to the next, in the sandboxes that they have now.
      const after = await open(found).catch(async (error: unknown) => {
        await editions.discard(other);
        throw error;
      });
      // Until then what stays in use is not ended.
      before.inFlight.enter();
      editions.replace(other, { holdsAtOnce: true });
      const endThis = (): void => {
        if (end !== endThis) return;
        end = undefined;
        editions.replace(after, { holdsAtOnce: true });
        before.inFlight.leave();
        onEnd();
      };
      end = endThis;
      onBegin();
      return endThis;
    },
    end: () => end?.(),
  };
}
