import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

interface Slot {
  id: string | undefined;
}

const SLOTS = new AsyncLocalStorage<Slot>();

/** The id of the model call that this code runs in; none outside, and none once it was answered or failed. */
export function currentRequestId(): string | undefined {
  return SLOTS.getStore()?.id;
}

/**
 * Runs a model call under an id of its own, which its request, retries, answer and error carry. Calls that run at the
 * same time have each their own. Source: Amplifier's correlation contract.
 */
export function inModelCall<T>(call: () => Promise<T>, id: string = randomUUID()): Promise<T> {
  return SLOTS.run({ id }, call);
}

/** Gives back the id and ends the call: what comes after it carries none. */
export function closeModelCall(): string | undefined {
  const slot = SLOTS.getStore();
  if (slot === undefined) return undefined;
  const { id } = slot;
  slot.id = undefined;
  return id;
}
