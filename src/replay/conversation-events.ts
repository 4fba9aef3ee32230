import type { PayloadInput } from '../../sdk/points.ts';
import { readArguments, readMessage, type RecordedCall } from './messages.ts';

/** The points that a recorded conversation shows, in the order of a turn. */
export const RECORDED_POINTS = [
  'preInput',
  'preToolUse',
  'postToolUse',
  'preOutput',
  'postTurn',
] as const;

/** One of {@link RECORDED_POINTS}. */
export type RecordedPoint = (typeof RECORDED_POINTS)[number];

/** A point with its payload. */
export type Fire = {
  readonly [P in RecordedPoint]: { readonly point: P; readonly payload: PayloadInput<P> };
}[RecordedPoint];

interface Place {
  /** Index of the message. */
  readonly message: number;
  /** Counts the user's messages from 1; 0 before the first. */
  readonly turn: number;
  /** Counts the tool calls of the conversation from 0; null where it is about none. */
  readonly call: number | null;
  readonly tool: string | null;
}

/** What happens next in a conversation: a point fires, or something recorded cannot be read. */
export type ConversationEvent =
  | (Place & { readonly kind: 'fire'; readonly fire: Fire })
  | (Place & { readonly kind: 'flaw'; readonly detail: string });

/** A call whose result has not come yet. */
interface OpenCall extends RecordedCall {
  readonly call: number;
  readonly args: Record<string, unknown> | undefined;
}

/**
 * Reads which points a recorded conversation shows, in its order. Results belong to the calls of the assistant's
 * message before them: by id where the ids of that message differ, else by position, since ids come again within a conversation.
 */
export function* conversationEvents(messages: readonly unknown[]): Generator<ConversationEvent> {
  let turn = 0;
  let calls = 0;
  let input = '';
  let open: OpenCall[] = [];
  for (const [message, value] of messages.entries()) {
    const read = readMessage(value);
    const place = { message, turn, call: null, tool: null };
    switch (read.role) {
      case 'system':
        break;
      case 'unreadable':
        yield { kind: 'flaw', ...place, detail: read.detail };
        break;
      case 'user': {
        turn += 1;
        input = read.text;
        open = [];
        const attachments =
          read.attachments.length > 0 ? { attachments: [...read.attachments] } : {};
        const payload = { text: read.text, source: 'chat' as const, ...attachments };
        yield { kind: 'fire', ...place, turn, fire: { point: 'preInput', payload } };
        break;
      }
      case 'assistant':
        open = read.calls.map((call, index) => ({
          ...call,
          call: calls + index,
          args: readArguments(call.written),
        }));
        calls += open.length;
        yield* open.length > 0 ? callEvents(open, place) : outputEvents(read.text, input, place);
        break;
      case 'tool': {
        const call = takeCall(open, read.callId);
        if (call === undefined) {
          yield { kind: 'flaw', ...place, detail: 'it is the result of no call' };
        } else {
          yield* resultEvents(call, read.text, place);
        }
        break;
      }
    }
  }
}

function* callEvents(calls: readonly OpenCall[], place: Place): Generator<ConversationEvent> {
  for (const { call, toolName, args, id } of calls) {
    const at = { ...place, call, tool: toolName };
    if (args === undefined) {
      yield { kind: 'flaw', ...at, detail: 'the arguments of the call are no JSON object' };
      continue;
    }
    const payload = { toolName, args, ...toolCallId(id) };
    yield { kind: 'fire', ...at, fire: { point: 'preToolUse', payload } };
  }
}

/** A result whose call could not be read fires with the arguments that a tool would have been given: none. */
function* resultEvents(call: OpenCall, result: string, place: Place): Generator<ConversationEvent> {
  const { toolName, args = {}, id } = call;
  const payload = { toolName, args, result, isError: false, ...toolCallId(id) };
  const at = { ...place, call: call.call, tool: toolName };
  yield { kind: 'fire', ...at, fire: { point: 'postToolUse', payload } };
}

function* outputEvents(
  text: string | undefined,
  input: string,
  place: Place,
): Generator<ConversationEvent> {
  if (text === undefined) return;
  yield {
    kind: 'fire',
    ...place,
    fire: { point: 'preOutput', payload: { text, channels: ['chat'] } },
  };
  const { turn } = place;
  const lastMessage = { role: 'assistant', content: text };
  const payload = { turn, input, output: text, lastMessage };
  yield { kind: 'fire', ...place, fire: { point: 'postTurn', payload } };
}

/** Takes the call that a result belongs to out of those that still wait for one. */
function takeCall(open: OpenCall[], id: string | undefined): OpenCall | undefined {
  const named = open.filter((call) => id !== undefined && call.id === id);
  const index = named.length === 1 && named[0] !== undefined ? open.indexOf(named[0]) : 0;
  return open.splice(index, 1)[0];
}

function toolCallId(id: string | undefined): { toolCallId?: string } {
  return id === undefined ? {} : { toolCallId: id };
}
