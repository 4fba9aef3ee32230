import { existsSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { openDatabase } from './database.ts';

/** Copies a database while others may write to it. Nothing, where there is none. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to);
  } finally {
    source.close();
  }
}

/** Makes a database with the rows of some tables of another, and none of the rest. */
export async function copyTables(
  from: string,
  to: string,
  tables: readonly string[],
): Promise<void> {
  await (await openDatabase(to)).close();
  if (!existsSync(from)) return;
  // What an earlier version wrote gets the columns of this one.
  await (await openDatabase(from)).close();
  const target = new DatabaseSync(to);
  try {
    target.prepare('attach ? as source').run(from);
    for (const table of tables)
      target.exec(`insert into main.${table} select * from source.${table}`);
  } finally {
    target.close();
  }
}
