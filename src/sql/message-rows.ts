import type { CompiledQuery } from 'kysely';
import type { Database } from './database.ts';
import { statementOf } from './dialect.ts';
import type { MessageTable } from './tables.ts';

/** A message before it has its place. */
export type NewMessage = Omit<MessageTable, 'seq' | 'is_evicted'>;

/** The queries of the agent loop's messages. */
export interface MessageRows {
  /** Those that no summary stands for, in their order. */
  load(sessionId: string): Promise<readonly MessageTable[]>;
  get(id: string): Promise<string | undefined>;
  /** The last of those. */
  last(sessionId: string): Promise<string | undefined>;
  insert(row: NewMessage): Promise<void>;
  /** Replaces a text that is still as it was; whether it was. Of two that do so at once one does not. */
  exchange(id: string, before: string, text: string): Promise<boolean>;
  evict(ids: readonly string[]): Promise<void>;
}

/** Messages of a session that are read; compaction keeps it far below. */
const MAX_ROWS = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Binds the queries to a database. */
export function openMessageRows(database: Database): MessageRows {
  const { builder } = database;

  async function textOf(query: { compile(): CompiledQuery }): Promise<string | undefined> {
    const { rows } = await database.run(statementOf(query.compile()), { maxBytes: MAX_BYTES });
    // The column is a text.
    return rows[0]?.['text'] as string | undefined;
  }

  return {
    async load(sessionId) {
      const query = builder
        .selectFrom('messages')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where('is_evicted', '=', 0)
        .orderBy('seq');
      const bounds = { maxRows: MAX_ROWS, maxBytes: MAX_BYTES };
      const { rows } = await database.run(statementOf(query.compile()), bounds);
      // The columns are those of the table.
      return rows as unknown as readonly MessageTable[];
    },
    get: (id) => textOf(builder.selectFrom('messages').select('text').where('id', '=', id)),
    last: (sessionId) =>
      textOf(
        builder
          .selectFrom('messages')
          .select('text')
          .where('session_id', '=', sessionId)
          .where('is_evicted', '=', 0)
          .orderBy('seq', 'desc')
          .limit(1),
      ),
    async insert(row) {
      const query = builder
        .insertInto('messages')
        .columns(['id', 'session_id', 'time', 'text', 'is_evicted'])
        .expression(
          builder.selectNoFrom(({ val }) => [
            val(row.id).as('id'),
            val(row.session_id).as('session_id'),
            val(row.time).as('time'),
            val(row.text).as('text'),
            val(0).as('is_evicted'),
          ]),
        );
      await database.run(statementOf(query.compile()));
    },
    async exchange(id, before, text) {
      const query = builder
        .updateTable('messages')
        .set({ text })
        .where('id', '=', id)
        .where('text', '=', before);
      return (await database.run(statementOf(query.compile()))).changes === 1;
    },
    async evict(ids) {
      await database.batch(
        ids.map((id) =>
          statementOf(
            builder.updateTable('messages').set({ is_evicted: 1 }).where('id', '=', id).compile(),
          ),
        ),
      );
    },
  };
}
