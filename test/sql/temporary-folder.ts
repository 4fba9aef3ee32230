import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, onTestFinished } from 'vitest';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/sql/database.ts';

/** A folder that goes when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A database that is closed when the test ends. */
export async function temporaryDatabase(
  file = ':memory:',
  options?: DatabaseOptions,
): Promise<Database> {
  const database = await openDatabase(file, options);
  onTestFinished(() => database.close());
  return database;
}

/** One database for a whole test file, since each has a thread to start; every test finds its tables empty. */
export async function sharedDatabase(tables: readonly string[]): Promise<Database> {
  const database = await openDatabase(':memory:');
  beforeEach(async () => {
    await database.batch(tables.map((table) => ({ sql: `delete from ${table}`, parameters: [] })));
  });
  afterAll(() => database.close());
  return database;
}
