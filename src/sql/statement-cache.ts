import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** How many compiled statements a connection keeps; filters of hooks make new ones, the oldest unused goes first. */
const MAX_STATEMENTS = 256;

/** A compiled statement, and whether it returns rows. */
export interface Compiled {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
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
      compiled = { statement, hasRows: statement.columns().length > 0 };
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
