import type { Payload } from '../chain/call.ts';
import type { ChainVerdict } from '../chain/chain.ts';
import type { Context } from '../verdict.ts';

/** What is remembered of a turn of a session. */
export interface Turn {
  /** Values that hooks published for others. */
  bag: Payload;
  /** How often the model was sent back. */
  reworks: number;
  injectedChars: number;
}

/** The turns in progress, one per session. */
export interface TurnStates {
  /** What is known of the turn; a copy of nothing when nothing was noted. */
  read(sessionId: string, turnId: string | undefined): Readonly<Turn>;
  /** The turn to write to. Another turn id than before starts afresh. */
  open(sessionId: string, turnId: string | undefined): Turn;
  /** Adds values to the bag of a turn. When all bags together are too much, the largest values are forgotten. */
  publish(sessionId: string, turnId: string | undefined, outputs: Payload): Turn;
  end(sessionId: string): void;
}

/** Sessions whose turn is remembered. Past it the one that was written to longest ago is forgotten. */
const KEPT = 50_000;

/** Characters of the values of all bags, as JSON: hooks choose how large theirs are. */
const KEPT_CHARS = 32 * 1024 * 1024;
/** What is left once some were forgotten, so that not every call has to look for the largest. */
const SPARED_CHARS = KEPT_CHARS * 0.75;

const NOTHING: Readonly<Turn> = { bag: {}, reworks: 0, injectedChars: 0 };

interface Kept {
  readonly turnId: string | undefined;
  readonly turn: Turn;
  /** Of each value in the bag. */
  readonly chars: Map<string, number>;
}

/** No turns yet. */
export function createTurnStates(): TurnStates {
  const turns = new Map<string, Kept>();
  let chars = 0;
  const end = (sessionId: string): void => {
    for (const size of turns.get(sessionId)?.chars.values() ?? []) chars -= size;
    turns.delete(sessionId);
  };
  const reopen = (sessionId: string, turnId: string | undefined): Kept => {
    const known = turns.get(sessionId);
    if (known !== undefined && known.turnId !== turnId) end(sessionId);
    const kept = turns.get(sessionId) ?? { turnId, turn: { ...NOTHING }, chars: new Map() };
    turns.delete(sessionId);
    turns.set(sessionId, kept);
    if (turns.size > KEPT) end(turns.keys().next().value as string);
    return kept;
  };
  /** Whoever publishes much loses it, and nobody else what they said. */
  const shrink = (): void => {
    const values = [...turns.values()].flatMap((kept) =>
      [...kept.chars].map(([key, size]) => ({ kept, key, size })),
    );
    for (const { kept, key, size } of values.sort((a, b) => b.size - a.size)) {
      if (chars <= SPARED_CHARS) return;
      const { [key]: _, ...others } = kept.turn.bag;
      kept.turn.bag = others;
      kept.chars.delete(key);
      chars -= size;
    }
  };
  return {
    read(sessionId, turnId) {
      const known = turns.get(sessionId);
      return known !== undefined && known.turnId === turnId ? known.turn : NOTHING;
    },
    open: (sessionId, turnId) => reopen(sessionId, turnId).turn,
    publish(sessionId, turnId, outputs) {
      const kept = reopen(sessionId, turnId);
      kept.turn.bag = { ...kept.turn.bag, ...outputs };
      for (const [key, value] of Object.entries(outputs)) {
        const size = key.length + JSON.stringify(value).length;
        chars += size - (kept.chars.get(key) ?? 0);
        kept.chars.set(key, size);
      }
      if (chars > KEPT_CHARS) shrink();
      return kept.turn;
    },
    end,
  };
}

/** Keeps what later calls of the turn depend on; gives back the turn when something was noted. */
export function noteTurn(
  turns: TurnStates,
  { sessionId, turnId }: Context,
  { action, inject, outputs }: ChainVerdict,
): Turn | undefined {
  // A call without a session is a session of its own, which ends with it.
  if (sessionId === undefined) return undefined;
  const isPublishing = Object.keys(outputs).length > 0;
  if (action !== 'rework' && inject.length === 0 && !isPublishing) return undefined;
  const turn = isPublishing
    ? turns.publish(sessionId, turnId, outputs)
    : turns.open(sessionId, turnId);
  if (action === 'rework') turn.reworks += 1;
  turn.injectedChars += inject.reduce((sum, { content }) => sum + content.length, 0);
  return turn;
}
