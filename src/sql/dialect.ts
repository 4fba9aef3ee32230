import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from './kysely.ts';
import type { Result, SqlValue, Statement } from './messages.ts';
import type { QueryBuilder, Tables } from './tables.ts';

/** A query builder whose queries go to `run`, one message each. Transactions are batches, never held open. */
export function createQueryBuilder(run: (statement: Statement) => Promise<Result>): QueryBuilder {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (builder) => new SqliteIntrospector(builder),
      createDriver: () => new MessageDriver(run),
    },
  });
}

/** A compiled query as a statement: booleans become 0 and 1, everything that SQLite has no type for is refused. */
export function statementOf(query: CompiledQuery): Statement {
  return { sql: query.sql, parameters: query.parameters.map(sqlValue) };
}

function sqlValue(value: unknown): SqlValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`A ${typeof value} is no SQL value`);
}

class MessageDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(run: (statement: Statement) => Promise<Result>) {
    this.#connection = {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const { rows, changes } = await run(statementOf(query));
        // The builder derives R from the tables; the worker returns what the columns hold.
        return { rows: rows as unknown as R[], numAffectedRows: BigInt(changes) };
      },
      streamQuery: () => refuse('Streams'),
    };
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async releaseConnection(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    refuse('Interactive transactions');
  }

  async commitTransaction(): Promise<void> {
    refuse('Interactive transactions');
  }

  async rollbackTransaction(): Promise<void> {
    refuse('Interactive transactions');
  }
}

function refuse(what: string): never {
  throw new TypeError(`${what} are not offered: send a batch`);
}
