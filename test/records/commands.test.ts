import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordPage } from '../../src/records/records.ts';
import { openRuntime } from '../../src/index.ts';
import { openWorkplace, type Ended, type Workplace } from '../cli/command-line.ts';

const SECRET = 'the-value-that-nobody-may-see';
const KEY = randomBytes(32).toString('base64');

const GUARD = `export const createHook = () => ({ run: (point, payload) =>
  payload.toolName === 'shell' ? { action: 'block', reason: '=HYPERLINK("http://x")' }
  : payload.toolName === 'mail' ? { action: 'modify', payload: { args: { ...payload.args, to: 'nobody' } } }
  : { action: 'allow' } });\n`;

let place: Workplace;

beforeAll(async () => {
  process.env['TEST_PAYLOAD_KEY'] = KEY;
  place = await openWorkplace({
    'runtime.json': {
      records: { payloads: { retentionDays: 7, key: { env: 'TEST_PAYLOAD_KEY' } } },
      limits: { loadMs: 20_000, queueMs: 20_000 },
      hooks: { overrides: { guard: { timeoutMs: 10_000 } } },
    },
    'hooks/guard/hook.json': {
      name: 'guard',
      points: ['preToolUse'],
      capabilities: ['reads_tool_io', 'gates_tools'],
    },
    'hooks/guard/index.mjs': GUARD,
  });
  const runtime = await openRuntime({
    config: join(place.folder, 'runtime.json'),
    log: { level: 'silent' },
  });
  const context = {
    sessionId: 's1',
    turnId: 't1',
    caller: { userId: 'ann', source: 'chat' },
  } as const;
  for (const toolName of ['shell', 'mail', 'other']) {
    const call = { toolName, args: { text: SECRET, to: 'bob' }, toolCallId: `call-${toolName}` };
    await runtime.fire('preToolUse', call, context);
  }
  await runtime.close();
}, 60_000);

afterAll(() => place.remove());

const records = (...args: string[]): Promise<Ended> => place.run(['records', ...args]);

async function pageOf(...args: string[]): Promise<RecordPage> {
  return JSON.parse((await records('list', '--json', ...args)).out) as RecordPage;
}

test('records are listed, narrowed by any column, and paged', async () => {
  const first = await pageOf('--limit', '1');
  expect(first.records).toMatchObject([{ action: 'modify', toolCallId: 'call-mail' }]);
  const rest = await pageOf('--limit', '5', '--before', first.next ?? '');
  expect(rest.records).toMatchObject([{ action: 'block', hook: 'guard', sessionId: 's1' }]);
  const narrow = await pageOf('--tool-call', 'call-shell', '--turn', 't1', '--since', '1h');
  expect(narrow.records).toMatchObject([{ action: 'block' }]);
  expect((await pageOf('--would-block')).records).toEqual([]);
  const { code, out } = await records('list');
  expect(code).toBe(0);
  expect(out).toContain('guard');
}, 60_000);

test('what a record shows holds none of the data unless that is asked for', async () => {
  const [mail] = (await pageOf('--action', 'modify')).records;
  const plain = await records('show', mail?.id ?? '');
  expect(plain.out).toMatch(/^action +modify$/m);
  expect(plain.out).not.toContain(SECRET);
  const full = await records('show', mail?.id ?? '', '--payload', '--json');
  expect(JSON.parse(full.out)).toMatchObject({
    record: { id: mail?.id },
    exchange: {
      payload: { toolName: 'mail', args: { text: SECRET, to: 'bob' } },
      after: { args: { text: SECRET, to: 'nobody' } },
      context: { caller: { userId: 'ann' } },
    },
  });
  const unknown = await records('show', 'nothing');
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.err).toContain('record_unknown');
}, 60_000);

test('an export has no payloads unless they are asked for, and no cell that a spreadsheet runs', async () => {
  const csv = await records('export', '--format', 'csv');
  expect(csv.out).not.toContain(SECRET);
  const [head, block] = csv.out.split('\r\n');
  expect(head).toMatch(/^id,time,fireId,point,hook,/);
  expect(block).toContain(`"'=HYPERLINK(""http://x"")"`);
  const lines = (await records('export')).out.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { action: 'block' },
    { action: 'modify' },
  ]);
  const full = await records('export', '--with-payloads', '--hook', 'guard');
  expect(full.out.split(SECRET).length - 1).toBe(3);
}, 60_000);

test('an export to a Parquet file is read back as it was', async () => {
  const file = join(place.folder, 'out.parquet');
  const ended = await records('export', '--format', 'parquet', '--out', file, '--with-payloads');
  expect(ended).toMatchObject({ code: 0, out: '' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const bytes = await readFile(file);
  const rows = await parquetReadObjects({
    file: {
      byteLength: bytes.length,
      slice: (from, to) => new Uint8Array(bytes.subarray(from, to)).buffer,
    },
  });
  expect(rows).toMatchObject([
    {
      hook: 'guard',
      action: 'block',
      wouldBlock: false,
      exchange: { payload: { toolName: 'shell' } },
    },
    { hook: 'guard', action: 'modify', package: null, time: expect.any(Date) as Date },
  ]);
}, 60_000);

test('a decision becomes a fixture that the hook passes', async () => {
  for (const { id, action } of (await pageOf()).records) {
    const file = join(place.folder, 'hooks/guard/fixtures', `${action}.json`);
    await place.write(`hooks/guard/fixtures/.keep`, '');
    expect(await records('to-fixture', id, '--out', file)).toMatchObject({ code: 0 });
    // What is there is not written over.
    expect((await records('to-fixture', id, '--out', file)).code).not.toBe(0);
  }
  const tested = await place.run(['test', '--hook', 'guard']);
  expect(`${tested.code} ${tested.err}`).toMatch(/^0 /);
}, 60_000);

test('a fixture of a shape, or without a kept payload, holds nothing of the data', async () => {
  const [mail] = (await pageOf('--action', 'modify')).records;
  const shape = JSON.parse((await records('to-fixture', mail?.id ?? '', '--shape')).out) as object;
  expect(shape).toEqual({
    point: 'preToolUse',
    payload: {
      toolName: 'mail',
      toolCallId: 'call-mail',
      args: { text: 'a sample', to: 'a sample' },
      isDelegated: false,
      planModeActive: false,
    },
    expect: { action: 'modify' },
  });
}, 60_000);

test('another key opens nothing and says why', async () => {
  const [mail] = (await pageOf('--action', 'modify')).records;
  const other = await place.shell(
    `TEST_PAYLOAD_KEY=${randomBytes(32).toString('hex')} $SB records show ${mail?.id} --payload`,
  );
  expect(other).toMatchObject({ code: 2, out: '' });
  expect(other.err).toContain('was written with another key');
}, 60_000);

test('what is pruned is gone from every list', async () => {
  expect((await records('prune')).out).toContain('Deleted 0 records');
  expect(JSON.parse((await records('prune', '--max-rows', '1', '--json')).out)).toEqual({
    records: 1,
    payloads: 0,
  });
  expect((await pageOf()).records).toMatchObject([{ action: 'modify' }]);
  expect(await records('check')).toMatchObject({ code: 0 });
}, 60_000);

test('what operators changed while hooks ran is listed with who did', async () => {
  await place.run(['grants', 'revoke', 'guard', 'gates_tools', '--by', 'jane']);
  await place.run(['mode', 'guard', 'shadow', '--force', '--reason', 'on trial', '--by', 'joe']);
  const { out } = await records('acts');
  expect(out).toMatch(
    /joe +mode shadow +guard +on trial\n.* jane +grant revoke +guard +gates_tools/,
  );
  const newest = JSON.parse((await records('acts', '--limit', '1', '--json')).out) as object;
  expect(newest).toMatchObject({ acts: [{ by: 'joe', act: 'mode shadow', target: 'guard' }] });
}, 60_000);
