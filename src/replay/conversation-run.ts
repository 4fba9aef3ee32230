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

/** What became of one entry of a recording. */
export interface RunOutcome {
  readonly rows: readonly ReplayRow[];
  readonly problems: readonly SignalboxError[];
  /** Runs of hooks that failed. */
  readonly failures: number;
  readonly calls: number;
}

/** The session that a conversation is replayed in. */
export interface ReplaySession {
  readonly sessionId: string;
  /** Ends it before its next fire. */
  readonly stop: AbortSignal;
}

/** Fires what one entry of a recording shows, in order, and drops what hooks remember of it. */
export async function runConversation(
  runtime: Runtime,
  entry: RecordingEntry,
  session: ReplaySession,
): Promise<RunOutcome> {
  if ('error' in entry) return { rows: [], problems: [entry.error], failures: 0, calls: 0 };
  const { conversation } = entry;
  const rows: ReplayRow[] = [];
  const problems: SignalboxError[] = [];
  let failures = 0;
  let calls = 0;
  try {
    for (const event of conversationEvents(conversation.messages)) {
      if (session.stop.aborted) break;
      if (event.call !== null) calls = Math.max(calls, event.call + 1);
      if (event.kind === 'flaw') {
        problems.push(flawError(conversation, event));
        if (event.tool !== null) rows.push(unreadableRow(conversation, event));
        continue;
      }
      const { row, failed } = await fireEvent(runtime, conversation, { event, session });
      rows.push(row);
      failures += failed;
    }
  } finally {
    runtime.endSession(session.sessionId);
  }
  return { rows, problems, failures, calls };
}

async function fireEvent(
  runtime: Runtime,
  conversation: Conversation,
  { event, session }: { event: ConversationEvent & { kind: 'fire' }; session: ReplaySession },
): Promise<{ row: ReplayRow; failed: number }> {
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
    return { row, failed: failures.length };
  } catch (error) {
    const known = error instanceof SignalboxError ? error : undefined;
    if (known === undefined || known.code === 'runtime_closed') throw error;
    // No verdict is no permission.
    const row = { ...subject, hook: null, code: known.code, reason: known.message };
    return { row: { ...row, action: 'block' }, failed: 1 };
  }
}

/** The compiler cannot match point and payload across a union, so each case names its own. */
function fireOne(runtime: Runtime, fire: Fire, context: Context): Promise<Verdict> {
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
