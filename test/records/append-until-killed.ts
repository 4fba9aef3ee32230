// Appends records to the database named in the first argument and prints each one's number once it is acknowledged.
// The second argument says how many; without it, until the process is killed.
import { openDatabase } from '../../src/sql/database.ts';
import { openRecords } from '../../src/records/records.ts';

const [, , file = '', count = 'Infinity'] = process.argv;
const database = await openDatabase(file);
const records = openRecords(database);
let next = 0;

async function appendAll(): Promise<void> {
  while (next < Number(count)) {
    const number = next;
    next += 1;
    await records.append({
      point: 'preToolUse',
      hook: 'writer',
      action: 'block',
      durationMs: 1,
      turnId: String(number),
      sessionId: String(process.pid),
    });
    process.stdout.write(`${number}\n`);
  }
}

// Several at once, so that groups hold more than one.
await Promise.all(Array.from({ length: 20 }, appendAll));
await records.close();
await database.close();
