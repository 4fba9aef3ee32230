import { randomUUID } from 'node:crypto';
import { SignalboxError } from '../../../sdk/errors.ts';
import { openDatabase } from '../../sql/database.ts';
import { openMessageRows } from '../../sql/message-rows.ts';
import type { MessageDraft, StoredMessage } from './message.ts';
import type { Scene } from '../scene.ts';

/** The calls of a message, of which some wait for a person: none of them has run. */
export interface Parked {
  readonly messageId: string;
  /** By the id of the call. */
  readonly approvals: Readonly<Record<string, string>>;
}

/** The messages of all sessions, on disk. The maker closes it. */
export interface HistoryStore {
  /** Those that no summary stands for. */
  load(sessionId: string): Promise<readonly StoredMessage[]>;
  /** The calls that were left waiting when the process of the session ended. */
  parked(sessionId: string): Promise<Parked | undefined>;
  /** With approvals, the calls of the message wait until they are unparked. */
  insert(sessionId: string, message: StoredMessage, approvals?: Parked['approvals']): Promise<void>;
  /** Notes which calls of a message wait now; whether others of it still do. */
  park(messageId: string, approvals: Parked['approvals']): Promise<boolean>;
  /** Notes that calls are about to run; whether they were waiting still. Of two processes one is told so. */
  unpark(messageId: string): Promise<boolean>;
  /** What waits goes on waiting. */
  replace(message: StoredMessage): Promise<void>;
  evict(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens a SQLite file of histories, or `:memory:`; creates it where it is missing. */
export async function openHistory(file: string): Promise<HistoryStore> {
  const database = await openDatabase(file);
  const rows = openMessageRows(database);
  return {
    async load(sessionId) {
      const found = await rows.load(sessionId);
      return found.map(({ text }) => readRow(text).message);
    },
    async parked(sessionId) {
      const text = await rows.last(sessionId);
      if (text === undefined) return undefined;
      const { message, approvals } = readRow(text);
      return approvals === undefined ? undefined : { messageId: message.id, approvals };
    },
    insert: (sessionId, message, approvals) =>
      rows.insert({
        id: message.id,
        session_id: sessionId,
        time: Date.now(),
        text: writeRow(message, approvals),
      }),
    async park(messageId, approvals) {
      for (;;) {
        const text = await rows.get(messageId);
        if (text === undefined) return false;
        const row = readRow(text);
        if (row.approvals === undefined) return false;
        if (await rows.exchange(messageId, text, writeRow(row.message, approvals))) return true;
      }
    },
    async unpark(messageId) {
      const text = await rows.get(messageId);
      if (text === undefined) return false;
      const { message, approvals } = readRow(text);
      return approvals !== undefined && rows.exchange(messageId, text, writeRow(message));
    },
    async replace(message) {
      // Against the text that was read: another process may unpark the calls at the same time.
      for (let isDone = false; !isDone;) {
        const text = await rows.get(message.id);
        if (text === undefined) return;
        const changedText = writeRow(message, readRow(text).approvals);
        isDone = await rows.exchange(message.id, text, changedText);
      }
    },
    evict: (ids) => rows.evict(ids),
    close: () => database.close(),
  };
}

function writeRow(message: StoredMessage, approvals?: Parked['approvals']): string {
  // Whatever a hook made of the message, it does not say what waits.
  return JSON.stringify({ ...message, approvals });
}

function readRow(text: string): {
  readonly message: StoredMessage;
  readonly approvals: Parked['approvals'] | undefined;
} {
  // Written by `writeRow` alone.
  const { approvals, ...message } = JSON.parse(text) as StoredMessage & Partial<Parked>;
  return { message, approvals };
}

/** What became of a message that was to be stored. */
export type Stored =
  | { readonly ok: true; readonly message: StoredMessage }
  | { readonly ok: false; readonly reason: string };

/** The history of one session; every change passes the hooks. */
export interface History {
  /** A copy: hooks on a request change the request, never this. */
  messages(): readonly StoredMessage[];
  append(draft: MessageDraft, approvals?: Parked['approvals']): Promise<Stored>;
  /** Calls at the end that wait for a person. */
  parked(): Parked | undefined;
  /** Has more calls of the last message wait. Throws `session_busy` when another process has taken them up. */
  park(approvals: Parked['approvals']): Promise<void>;
  /** Before they run. Throws `session_busy` when another process was faster. */
  unpark(): Promise<void>;
  /** Stores words of the loop's own in the place of a message that hooks did not let in; they are not asked again. */
  standIn(draft: MessageDraft): Promise<void>;
  /** Changes fields of a stored message. */
  update(id: string, updates: Partial<MessageDraft>): Promise<Stored>;
  /** Takes messages out of what the model reads, and puts one in their place, first. */
  replaceBySummary(ids: readonly string[], draft: MessageDraft): Promise<Stored>;
}

/** Opens the history of a session with what it has so far. */
export async function openSessionHistory(store: HistoryStore, scene: Scene): Promise<History> {
  const { sessionId } = scene;
  const kept: StoredMessage[] = bySummary(await store.load(sessionId));
  let parked = await store.parked(sessionId);
  scene.setHistory(() => kept);

  async function admit(message: StoredMessage, approvals?: Parked['approvals']): Promise<Stored> {
    const created = await scene.fire('preMessageCreate', { message: { ...message } });
    if (created.action === 'block') return { ok: false, reason: created.reason ?? '' };
    const admitted = changed(message, created.payload.message);
    await store.insert(sessionId, admitted, approvals);
    if (approvals !== undefined) parked = { messageId: admitted.id, approvals };
    return { ok: true, message: admitted };
  }

  return {
    messages: () => structuredClone(kept),
    parked: () => parked,
    async park(approvals) {
      if (parked === undefined) return;
      parked = { ...parked, approvals: { ...parked.approvals, ...approvals } };
      const isOurs = await store.park(parked.messageId, parked.approvals);
      if (!isOurs) throw new SignalboxError('session_busy', { session: sessionId });
    },
    async unpark() {
      if (parked === undefined) return;
      const { messageId } = parked;
      parked = undefined;
      const isOurs = await store.unpark(messageId);
      if (!isOurs) throw new SignalboxError('session_busy', { session: sessionId });
    },
    async append(draft, approvals) {
      const stored = await admit({ id: randomUUID(), ...draft }, approvals);
      if (!stored.ok) return stored;
      kept.push(stored.message);
      await scene.fire('postMessageCreate', { message: { ...stored.message } });
      return stored;
    },
    async standIn(draft) {
      const message = { id: randomUUID(), ...draft };
      await store.insert(sessionId, message);
      kept.push(message);
      await scene.fire('postMessageCreate', { message: { ...message } });
    },
    async update(id, updates) {
      const at = kept.findIndex((message) => message.id === id);
      const before = kept[at];
      if (before === undefined) return { ok: false, reason: 'There is no such message' };
      const allowed = await scene.fire('preMessageUpdate', {
        messageId: id,
        updates: { ...updates },
      });
      if (allowed.action === 'block') return { ok: false, reason: allowed.reason ?? '' };
      const message = changed(before, { ...before, ...allowed.payload.updates });
      await store.replace(message);
      kept[at] = message;
      await scene.fire('postMessageUpdate', { message: { ...message } });
      return { ok: true, message };
    },
    async replaceBySummary(ids, draft) {
      const stored = await admit({ id: randomUUID(), ...draft });
      if (!stored.ok) return stored;
      await store.evict(ids);
      const evicted = new Set(ids);
      const rest = kept.filter(({ id }) => !evicted.has(id));
      kept.splice(0, kept.length, stored.message, ...rest);
      await scene.fire('postMessageCreate', { message: { ...stored.message } });
      return stored;
    },
  };
}

/** A message as a hook left it, with what ties it to others as it was: a history with loose ends is of no use to a model. */
function changed(message: StoredMessage, left: Readonly<Record<string, unknown>>): StoredMessage {
  const { id, role, toolCalls, toolCallId } = message;
  const { content, silent } = left;
  return {
    ...(left as unknown as StoredMessage),
    content: typeof content === 'string' ? content : JSON.stringify(content ?? ''),
    id,
    role,
    ...(toolCalls !== undefined && { toolCalls }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(silent !== undefined && { silent: silent === true }),
  };
}

/** A summary was stored last and stands first. */
function bySummary(messages: readonly StoredMessage[]): StoredMessage[] {
  const isSummary = ({ metadata }: StoredMessage): boolean => metadata?.source === 'summary';
  return [...messages.filter(isSummary), ...messages.filter((message) => !isSummary(message))];
}
