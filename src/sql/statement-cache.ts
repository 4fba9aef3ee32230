import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** How many compiled statements a connection keeps; filters of hooks make new ones, the oldest unused goes first. */
const MAX_STATEMENTS = 256;

/** A compiled statement, and the columns of the rows it returns, as arrays; none if it returns no rows. */
export interface Compiled {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/** Compiled statements of one connection by their text, the least recently used dropped first. */
export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #compiled = new Map<string, Compiled>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string): Compiled {
    let compiled = this.#compiled.get(sql);
    if (compiled === undefined) {
      const statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      compiled = { statement, columns: statement.columns().map(({ name }) => name) };
      for (const oldest of this.#compiled.keys()) {
        if (this.#compiled.size < MAX_STATEMENTS) break;
        this.#compiled.delete(oldest);
      }
    } else {
      this.#compiled.delete(sql);
    }
    this.#compiled.set(sql, compiled);
    return compiled;
  }
}
