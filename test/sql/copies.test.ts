import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { copyTables } from '../../src/sql/engine.ts';
import { MIGRATIONS } from '../../src/sql/migrations.ts';
import { temporaryFolder } from './temporary-folder.ts';

const GRANT = `insert into grant_changes (time, by, action, target, capabilities)
  values (1, 'ann', 'revoke', 'p', '[]')`;

/** A file as a version wrote it that knew so many migrations. */
function databaseOf(file: string, migrations: number): void {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal');
  database.exec('create table migrations (number integer primary key, name text not null) strict');
  for (const [index, { name, sql }] of MIGRATIONS.slice(0, migrations).entries()) {
    database.exec(sql);
    database.prepare('insert into migrations values (?, ?)').run(index + 1, name);
  }
  database.exec(GRANT);
  database.exec("insert into store_rows (collection, key, text) values ('c', 'k', '{}')");
  database.close();
}

function countsIn(file: string): Record<string, unknown> {
  const database = new DatabaseSync(file, { readOnly: true });
  const count = (table: string): unknown =>
    database.prepare(`select count(*) as n from ${table}`).get()?.['n'];
  try {
    return {
      migrations: count('migrations'),
      grants: count('grant_changes'),
      rows: count('store_rows'),
      modes: count('mode_changes'),
    };
  } finally {
    database.close();
  }
}

const MODES = MIGRATIONS.findIndex(({ name }) => name === 'modes and reloads');

test.each([
  ['of this version', MIGRATIONS.length],
  ['of a version that had fewer tables', MODES],
])('a copy of a database %s has the tables asked for and leaves the file as it was', (_, done) => {
  const folder = temporaryFolder();
  // A name that means something in an address is a name all the same.
  const [from, to] = [join(folder, 'a file?mode=rw#%41.db'), join(folder, 'copy.db')];
  databaseOf(from, done);
  const before = readFileSync(from);
  copyTables(from, to, ['grant_changes', 'mode_changes']);
  expect(readFileSync(from).equals(before)).toBe(true);
  expect(countsIn(to)).toEqual({ migrations: MIGRATIONS.length, grants: 1, rows: 0, modes: 0 });
});

test('a copy of what is not there is an empty database, and makes nothing there', () => {
  const folder = temporaryFolder();
  const to = join(folder, 'copy.db');
  copyTables(join(folder, 'none.db'), to, ['grant_changes']);
  expect(countsIn(to)).toEqual({ migrations: MIGRATIONS.length, grants: 0, rows: 0, modes: 0 });
  expect(() => readFileSync(join(folder, 'none.db'))).toThrow(/ENOENT/);
});

test('a database that a later version wrote is not copied', () => {
  const folder = temporaryFolder();
  const from = join(folder, 'later.db');
  databaseOf(from, MIGRATIONS.length);
  const database = new DatabaseSync(from);
  database.exec(`insert into migrations values (${MIGRATIONS.length + 1}, 'later')`);
  database.close();
  expect(() => copyTables(from, join(folder, 'copy.db'), ['grant_changes'])).toThrow(
    /a later version of Signalbox wrote it/,
  );
});
