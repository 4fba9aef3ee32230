import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRuntime } from '../../src/index.ts';
import { openPayloadSeal } from '../../src/records/payload-seal.ts';
import { openRecords } from '../../src/records/records.ts';
import { temporaryDatabase, temporaryFolder } from '../sql/temporary-folder.ts';

const env = { KEY: randomBytes(32).toString('base64'), OTHER: randomBytes(32).toString('hex') };
const seal = openPayloadSeal('KEY', env);
const EXCHANGE = { payload: { text: 'the words of a user' }, reason: 'because' };

test('what is sealed opens for its own record and key alone, and is never the same twice', () => {
  const sealed = seal.seal('a', EXCHANGE);
  if (sealed === undefined) throw new Error('not sealed');
  expect(seal.open('a', sealed)).toEqual(EXCHANGE);
  expect(seal.seal('a', EXCHANGE)).not.toEqual(sealed);
  expect(() => seal.open('b', sealed)).toThrow(/another key/);
  expect(() => openPayloadSeal('OTHER', env).open('a', sealed)).toThrow(/another key/);
  for (const at of [0, 12, 28, sealed.length - 1]) {
    const forged = Uint8Array.from(sealed);
    forged[at] = (forged[at] ?? 0) ^ 1;
    expect(() => seal.open('a', forged)).toThrow(/another key/);
  }
  expect(() => seal.open('a', sealed.subarray(0, 20))).toThrow(/another key/);
});

test('what is larger than a record may hold is not kept', () => {
  expect(seal.seal('a', { payload: { text: 'x'.repeat(1024 * 1024) } })).toBeUndefined();
});

test.each([[undefined], [''], ['short'], [randomBytes(31).toString('base64')], ['zz'.repeat(32)]])(
  'a key that is none is refused: %s',
  (key) => {
    expect(() => openPayloadSeal('KEY', { KEY: key })).toThrow(
      expect.objectContaining({ code: 'payload_key' }),
    );
  },
);

test('nothing of a payload is in the files of a database that keeps it', async () => {
  const file = join(temporaryFolder(), 'records.db');
  const database = await temporaryDatabase(file);
  const records = openRecords(database, { seal });
  const record = { point: 'preInput', hook: 'h', action: 'block', durationMs: 1 } as const;
  await records.append(record, EXCHANGE);
  const [kept] = (await records.query()).records;
  expect(kept).not.toHaveProperty('reason');
  expect([...(await records.exchanges([kept?.id ?? ''], seal)).values()]).toEqual([EXCHANGE]);
  for (const name of [file, `${file}-wal`]) {
    expect(readFileSync(name).includes('words of a user')).toBe(false);
  }
});

test('a runtime that is to keep payloads and has no key does not start', async () => {
  const payloads = { retentionDays: 1, key: { env: 'SIGNALBOX_TEST_NO_KEY' } };
  await expect(
    openRuntime({
      config: { records: { payloads } },
      folder: temporaryFolder(),
      log: { level: 'silent' },
    }),
  ).rejects.toMatchObject({ code: 'payload_key' });
});
