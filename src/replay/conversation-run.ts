import type { Action } from '../../sdk/decisions.ts';
import { SignalboxError, type ErrorCode } from '../../sdk/errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Context, Verdict } from '../verdict.ts';
import {
  conversationEvents,
  type ConversationEvent,
  type Fire,
  type RecordedPoint,
} from './conversation-events.ts';
import type { Conversation, RecordingEntry } from './recording.ts';

/** What became of one fire of a replay. */
export interface ReplayRow {
  readonly conversation: string;
  /** Counts the tool calls of the conversation from 0; null where the point is about none. */
  readonly call: number | null;
  readonly point: RecordedPoint;
  readonly tool: string | null;
  readonly action: Action;
  readonly hook: string | null;
  readonly code: Verdict['code'] | ErrorCode | null;
  readonly reason: string | null;
}

/** What a replay comes upon, one thing at a time. */
export type ReplayStep =
  | {
      readonly kind: 'row';
      readonly row: ReplayRow;
      /** Runs of hooks that failed in it. */
      readonly failures: number;
      /** Absent where there was none. */
      readonly verdict?: Verdict;
    }
  | { readonly kind: 'problem'; readonly error: SignalboxError };

/** What a replay needs of a runtime. */
export type FiringRuntime = Pick<Runtime, 'fire' | 'endSession'>;

/** The session that a conversation is replayed in. */
export interface ReplaySession {
  readonly sessionId: string;
  /** Ends it before its next fire. */
  readonly stop: AbortSignal;
}

/** Fires what one entry of a recording shows, in order, and drops what hooks remember of it. */
export async function* runConversation(
  runtime: FiringRuntime,
  entry: RecordingEntry,
  session: ReplaySession,
): AsyncGenerator<ReplayStep> {
  if ('error' in entry) {
    yield { kind: 'problem', error: entry.error };
    return;
  }
  const { conversation } = entry;
  try {
    for (const event of conversationEvents(conversation.messages)) {
      if (session.stop.aborted) return;
      if (event.kind === 'fire') {
        yield await fireEvent(runtime, conversation, { event, session });
        continue;
      }
      yield { kind: 'problem', error: flawError(conversation, event) };
      if (event.tool === null) continue;
      yield { kind: 'row', row: unreadableRow(conversation, event), failures: 0 };
    }
  } finally {
    runtime.endSession(session.sessionId);
  }
}

async function fireEvent(
  runtime: FiringRuntime,
  conversation: Conversation,
  { event, session }: { event: ConversationEvent & { kind: 'fire' }; session: ReplaySession },
): Promise<ReplayStep> {
  const subject = {
    conversation: conversation.id,
    call: event.call,
    point: event.fire.point,
    tool: event.tool,
  };
  try {
    const verdict = await fireOne(runtime, event.fire, {
      sessionId: session.sessionId,
      turnId: String(event.turn),
      caller: { source: 'chat' },
    });
    const failures = verdict.trace.filter((entry) => entry.code !== undefined);
    // An open failure leaves an allow without a hook; the row still says whose run it was.
    const hook = verdict.hook ?? failures[0]?.hook ?? null;
    const code = verdict.code ?? failures[0]?.code ?? null;
    const reason = verdict.reason ?? verdict.feedback ?? null;
    const row = { ...subject, action: verdict.action, hook, code, reason };
    return { kind: 'row', row, failures: failures.length, verdict };
  } catch (error) {
    const known = error instanceof SignalboxError ? error : undefined;
    if (known === undefined || known.code === 'runtime_closed') throw error;
    // No verdict is no permission.
    const row = { ...subject, hook: null, code: known.code, reason: known.message };
    return { kind: 'row', row: { ...row, action: 'block' }, failures: 1 };
  }
}

/** The compiler cannot match point and payload across a union, so each case names its own. */
function fireOne(runtime: FiringRuntime, fire: Fire, context: Context): Promise<Verdict> {
  switch (fire.point) {
    case 'preInput':
      return runtime.fire(fire.point, fire.payload, context);
    case 'preToolUse':
      return runtime.fire(fire.point, fire.payload, context);
    case 'postToolUse':
      return runtime.fire(fire.point, fire.payload, context);
    case 'preOutput':
      return runtime.fire(fire.point, fire.payload, context);
    case 'postTurn':
      return runtime.fire(fire.point, fire.payload, context);
  }
}

type Flaw = ConversationEvent & { readonly kind: 'flaw' };

function flawError(conversation: Conversation, flaw: Flaw): SignalboxError {
  return new SignalboxError('conversation_invalid', {
    file: conversation.file,
    line: conversation.lineOf(flaw.message),
    detail: `messages[${flaw.message}]: ${flaw.detail}`,
  });
}

/** A call whose arguments cannot be read is undecided, which is no permission. */
function unreadableRow(conversation: Conversation, flaw: Flaw): ReplayRow {
  return {
    conversation: conversation.id,
    call: flaw.call,
    point: 'preToolUse',
    tool: flaw.tool,
    action: 'block',
    hook: null,
    code: 'payload_invalid',
    reason: flaw.detail,
  };
}
