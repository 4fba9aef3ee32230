import { SignalboxError } from '../../sdk/errors.ts';

/** What the order of a chain is made from. */
export interface Orderable {
  readonly name: string;
  readonly priority: number;
  /** Position in registration order; unique. */
  readonly registration: number;
  /** Bag keys that it reads and writes. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** A chain in the order it runs, and where a rule had to give way. */
export interface OrderedChain<H> {
  readonly hooks: readonly H[];
  readonly warnings: readonly SignalboxError[];
}

/**
 * Sorts the hooks of one point: those that `order` names come first and as named, then producers of a bag value before
 * its consumers, then ascending priority, then registration. Hooks that feed each other in a circle fall back to
 * priority. Sort once and keep the answer.
 */
export function orderChain<H extends Orderable>(
  hooks: readonly H[],
  order: readonly string[],
): OrderedChain<H> {
  const byPriority = hooks.toSorted(
    (a, b) => a.priority - b.priority || a.registration - b.registration,
  );
  const named = [...new Set(order)].flatMap(
    (name) => byPriority.find((h) => h.name === name) ?? [],
  );
  const free = byPriority.filter((hook) => !named.includes(hook));
  const producers = producersOf(byPriority);
  const circles = circlesOf(producers);
  const sorted = [...named, ...sortByBag(free, producers, circles)];
  return { hooks: sorted, warnings: [...conflicts(sorted, producers, circles)] };
}

type Producers<H> = ReadonlyMap<H, ReadonlySet<H>>;
type Circles<H> = (consumer: H, producer: H) => boolean;

/** For each hook the others whose outputs it reads. */
function producersOf<H extends Orderable>(hooks: readonly H[]): Producers<H> {
  return new Map(
    hooks.map((consumer) => [
      consumer,
      new Set(hooks.filter((producer) => producer !== consumer && sharedKey(producer, consumer))),
    ]),
  );
}

function sharedKey(producer: Orderable, consumer: Orderable): string | undefined {
  return consumer.inputs.find((key) => producer.outputs.includes(key));
}

/** Tells whether an edge closes a circle: the producer, directly or not, reads from its consumer. */
function circlesOf<H>(producers: Producers<H>): Circles<H> {
  const upstream = new Map<H, ReadonlySet<H>>();
  for (const hook of producers.keys()) {
    const seen = new Set<H>();
    const open = [...(producers.get(hook) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(producers.get(next) ?? []));
    }
    upstream.set(hook, seen);
  }
  return (consumer, producer) => upstream.get(producer)?.has(consumer) === true;
}

/** Takes the first hook by priority whose producers were all taken, until none is left. */
function sortByBag<H>(hooks: readonly H[], producers: Producers<H>, circles: Circles<H>): H[] {
  const waiting = [...hooks];
  const sorted: H[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex((consumer) =>
      waiting.every(
        (producer) => !producers.get(consumer)?.has(producer) || circles(consumer, producer),
      ),
    );
    // Without the edges of circles there is always a hook that waits for none.
    sorted.push(...waiting.splice(Math.max(next, 0), 1));
  }
  return sorted;
}

function* conflicts<H extends Orderable>(
  sorted: readonly H[],
  producers: Producers<H>,
  circles: Circles<H>,
): Generator<SignalboxError> {
  for (const [index, consumer] of sorted.entries()) {
    for (const producer of sorted.slice(index + 1)) {
      if (!producers.get(consumer)?.has(producer)) continue;
      const key = sharedKey(producer, consumer) ?? '';
      const why = circles(consumer, producer) ? 'they feed each other' : 'hooks.order says so';
      const data = { producer: producer.name, consumer: consumer.name, key, detail: why };
      yield new SignalboxError('order_conflict', data);
    }
  }
}
