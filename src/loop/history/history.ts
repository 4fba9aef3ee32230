import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../sql/database.ts';
import { openMessageRows } from '../../sql/message-rows.ts';
import type { MessageDraft, StoredMessage } from './message.ts';
import type { Scene } from '../scene.ts';

/** The messages of all sessions, on disk. The maker closes it. */
export interface HistoryStore {
  /** Those that no summary stands for. */
  load(sessionId: string): Promise<readonly StoredMessage[]>;
  insert(sessionId: string, message: StoredMessage): Promise<void>;
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
      // Written by `insert` and `replace` alone.
      return found.map(({ text }) => JSON.parse(text) as StoredMessage);
    },
    insert: (sessionId, message) =>
      rows.insert({
        id: message.id,
        session_id: sessionId,
        time: Date.now(),
        text: JSON.stringify(message),
      }),
    replace: (message) => rows.replace(message.id, JSON.stringify(message)),
    evict: (ids) => rows.evict(ids),
    close: () => database.close(),
  };
}

/** What became of a message that was to be stored. */
export type Stored =
  | { readonly ok: true; readonly message: StoredMessage }
  | { readonly ok: false; readonly reason: string };

/** The history of one session; every change passes the hooks. */
export interface History {
  /** A copy: hooks on a request change the request, never this. */
  messages(): readonly StoredMessage[];
  append(draft: MessageDraft): Promise<Stored>;
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
  scene.setHistory(() => kept);

  async function admit(message: StoredMessage): Promise<Stored> {
    const created = await scene.fire('preMessageCreate', { message: { ...message } });
    if (created.action === 'block') return { ok: false, reason: created.reason ?? '' };
    const admitted = changed(message, created.payload.message);
    await store.insert(sessionId, admitted);
    return { ok: true, message: admitted };
  }

  return {
    messages: () => structuredClone(kept),
    async append(draft) {
      const stored = await admit({ id: randomUUID(), ...draft });
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
