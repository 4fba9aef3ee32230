import type { Database } from './database.ts';
import { statementOf } from './dialect.ts';
import type { Statement } from './messages.ts';
import type { DecisionPayloadTable } from './tables.ts';

/** The queries of the payloads that are kept of decisions. */
export interface DecisionPayloads {
  /** The statement that inserts a row, to go into the batch of its decision. */
  insert(row: Omit<DecisionPayloadTable, 'seq'>): Statement;
  /** Those of some decisions, by id. */
  of(decisionIds: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Deletes at most `limit` rows older than a time; how many. */
  deleteBefore(time: number, limit: number): Promise<number>;
}

/** Ids of one query, whose rows are in memory together. */
const IDS_PER_QUERY = 50;

/** A row has at most 1 MiB, its id and what the seal adds: larger ones are not kept. */
const PAGE_BYTES = 64 * 1024 * 1024;

/** Binds the queries to a database. */
export function openDecisionPayloads(database: Database): DecisionPayloads {
  const { builder } = database;
  const insert = builder
    .insertInto('decision_payloads')
    .values({ decision_id: '', time: 0, sealed: new Uint8Array() } as DecisionPayloadTable)
    .compile().sql;
  return {
    insert: ({ decision_id: id, time, sealed }) => ({
      sql: insert,
      parameters: [id, time, sealed],
    }),
    async of(decisionIds) {
      const found = new Map<string, Uint8Array>();
      for (let start = 0; start < decisionIds.length; start += IDS_PER_QUERY) {
        const query = builder
          .selectFrom('decision_payloads')
          .select(['decision_id', 'sealed'])
          .where('decision_id', 'in', decisionIds.slice(start, start + IDS_PER_QUERY));
        const { rows } = await database.run(statementOf(query.compile()), { maxBytes: PAGE_BYTES });
        for (const { decision_id: id, sealed } of rows) {
          if (sealed instanceof Uint8Array) found.set(String(id), sealed);
        }
      }
      return found;
    },
    async deleteBefore(time, limit) {
      const oldest = builder
        .selectFrom('decision_payloads')
        .select('seq')
        .where('time', '<', time)
        .orderBy('time')
        .limit(limit);
      const { changes } = await database.run(
        statementOf(builder.deleteFrom('decision_payloads').where('seq', 'in', oldest).compile()),
      );
      return changes;
    },
  };
}
