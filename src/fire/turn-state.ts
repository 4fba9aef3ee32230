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
  end(sessionId: string): void;
}

/** Sessions whose turn is remembered. Past it the one that was written to longest ago is forgotten. */
const KEPT = 50_000;

const NOTHING: Readonly<Turn> = { bag: {}, reworks: 0, injectedChars: 0 };

/** No turns yet. */
export function createTurnStates(): TurnStates {
  const turns = new Map<string, { readonly turnId: string | undefined; readonly turn: Turn }>();
  return {
    read(sessionId, turnId) {
      const known = turns.get(sessionId);
      return known !== undefined && known.turnId === turnId ? known.turn : NOTHING;
    },
    open(sessionId, turnId) {
      const known = turns.get(sessionId);
      const turn = known?.turnId === turnId ? known?.turn : undefined;
      const opened = turn ?? { ...NOTHING };
      turns.delete(sessionId);
      turns.set(sessionId, { turnId, turn: opened });
      if (turns.size > KEPT) turns.delete(turns.keys().next().value as string);
      return opened;
    },
    end: (sessionId) => void turns.delete(sessionId),
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
  const turn = turns.open(sessionId, turnId);
  if (action === 'rework') turn.reworks += 1;
  if (isPublishing) turn.bag = { ...turn.bag, ...outputs };
  turn.injectedChars += inject.reduce((sum, { content }) => sum + content.length, 0);
  return turn;
}
