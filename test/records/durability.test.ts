import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openRecords, type Records } from '../../src/records/records.ts';
import { temporaryDatabase, temporaryFolder } from '../sql/temporary-folder.ts';

const SCRIPT = fileURLToPath(new URL('./append-until-killed.ts', import.meta.url));

function startWriter(file: string, ...count: string[]): ChildProcess {
  const writer = spawn(process.execPath, [SCRIPT, file, ...count], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void writer.kill('SIGKILL'));
  return writer;
}

async function turns(records: Records): Promise<Set<string | undefined>> {
  const found = new Set<string | undefined>();
  let before: string | undefined;
  do {
    const page = await records.query({ limit: 1000, before });
    for (const { turnId } of page.records) found.add(turnId);
    before = page.next;
  } while (before !== undefined);
  return found;
}

test('a process that is killed loses no record whose append has resolved', async () => {
  const file = join(temporaryFolder(), 'data.db');
  const writer = startWriter(file);
  const acknowledged: string[] = [];
  if (writer.stdout === null) throw new Error('No pipe');
  for await (const line of createInterface({ input: writer.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === 500) writer.kill('SIGKILL');
  }
  const kept = await turns(openRecords(await temporaryDatabase(file)));
  expect(acknowledged.length).toBeGreaterThanOrEqual(500);
  expect(acknowledged.filter((turn) => !kept.has(turn))).toEqual([]);
});

test('two processes write one new file at once and neither loses a record', async () => {
  const file = join(temporaryFolder(), 'data.db');
  const writers = [startWriter(file, '300'), startWriter(file, '300')];
  for (const writer of writers) writer.stdout?.resume();
  const codes = await Promise.all(writers.map((writer) => once(writer, 'exit')));
  expect(codes.map(([code]) => code as number)).toEqual([0, 0]);
  const records = openRecords(await temporaryDatabase(file));
  for (const writer of writers) {
    const page = await records.query({ session: String(writer.pid), limit: 1000 });
    expect(page.records).toHaveLength(300);
  }
});

test('a full disk rejects the append, and what was kept stays', async () => {
  const file = join(temporaryFolder(), 'data.db');
  const database = await temporaryDatabase(file, { maxFileBytes: 256 * 1024 });
  const records = openRecords(database);
  const append = (): Promise<void> =>
    records.append({
      point: 'preInput',
      hook: 'h',
      action: 'block',
      durationMs: 1,
      reason: 'no '.repeat(600),
    });
  let kept = 0;
  const fill = async (): Promise<void> => {
    for (; kept < 1000; kept += 1) await append();
  };
  await expect(fill()).rejects.toMatchObject({ code: 'database' });
  expect(kept).toBeGreaterThan(10);
  await expect(append()).rejects.toMatchObject({ code: 'database' });
  expect((await records.query({ limit: 1000 })).records).toHaveLength(kept);
  // Room again: records go on.
  await records.prune({ before: Date.now() + 1 });
  await append();
});

test('a failed commit rejects every append of its group', async () => {
  const database = await temporaryDatabase();
  const records = openRecords(database);
  await database.run({ sql: 'drop table decisions', parameters: [] });
  const record = { point: 'preInput', hook: 'h', action: 'block', durationMs: 1 } as const;
  const results = await Promise.allSettled([records.append(record), records.append(record)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
