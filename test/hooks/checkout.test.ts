import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuntime, type LiveRuntime, type Point } from '../../src/index.ts';
import { readRecordings } from '../../src/replay/recording.ts';
import { replay } from '../../src/replay/replay.ts';
import { ROOT } from '../house/imports.ts';

// The hooks of this checkout as its runtime.json loads them, in their real sandboxes; store and records are elsewhere.
let folder: string;
let runtime: LiveRuntime;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-checkout-'));
  const config = JSON.parse(readFileSync(join(ROOT, 'runtime.json'), 'utf8')) as object;
  runtime = await openRuntime({
    folder: ROOT,
    config: {
      ...config,
      store: { file: join(folder, 'store.db') },
      records: { file: join(folder, 'records.db') },
    },
    log: { destination: new PassThrough().resume() },
  });
});

afterAll(async () => {
  await runtime?.close();
  await rm(folder, { recursive: true, force: true });
});

test('both sandboxes are in use, and every hook is live', () => {
  const { hooks, absent, health } = runtime.inventory();
  expect(hooks.map(({ hook, sandbox, state }) => `${hook} ${sandbox} ${state}`)).toEqual([
    'audit-trail worker live',
    'pii-redactor worker live',
    'ready-to-quote-guard worker live',
    'spend-guard isolate live',
  ]);
  expect({ absent, health }).toEqual({ absent: [], health: 'ok' });
});

interface Fixture {
  readonly point: Point;
  readonly payload: object;
  readonly expect: { readonly action: string; readonly reason?: string; readonly payload?: object };
}

const FIXTURES = ['.', 'examples/packages/spend-guard'].flatMap((root) =>
  readdirSync(join(ROOT, root, 'hooks')).flatMap((hook) =>
    readdirSync(join(ROOT, root, 'hooks', hook, 'fixtures')).map((file) => ({
      hook,
      file,
      path: join(ROOT, root, 'hooks', hook, 'fixtures', file),
    })),
  ),
);

test.each(FIXTURES)('in its sandbox, $hook decides as $file expects', async ({ hook, path }) => {
  const fixture = JSON.parse(readFileSync(path, 'utf8')) as Fixture;
  const { point, payload, expect: expected } = fixture;
  const report = await runtime.test({ point, hookName: hook, payload });
  const { payload: output, ...decision } = expected;
  // A test asks nobody, so that an "ask" is shown as the hook gave it.
  expect(report).toMatchObject(decision);
  if (output !== undefined) expect(report.output).toEqual(output);
});

test('the recordings make each hook act', async () => {
  const files = readdirSync(join(ROOT, 'recordings')).map((file) => join(ROOT, 'recordings', file));
  const acted: string[] = [];
  const progress = await replay(runtime, readRecordings(files), {
    onDecision({ conversation, point, call, action, hook }) {
      if (action !== 'allow')
        acted.push(`${conversation} ${point} ${call ?? '-'} ${action} ${hook}`);
    },
  });
  expect(progress).toMatchObject({ conversations: 4, failures: 0, problems: 0 });
  expect(acted).toEqual([
    'contact-details preInput - modify pii-redactor',
    'contact-details preToolUse 0 modify pii-redactor',
    'contact-details postToolUse 0 modify pii-redactor',
    'contact-details preToolUse 1 modify pii-redactor',
    'contact-details preOutput - modify pii-redactor',
    'refunds preToolUse 1 block spend-guard',
    'refunds preToolUse 2 block spend-guard',
    'submission-7 preToolUse 1 block ready-to-quote-guard',
  ]);
});

test('a limit of the store holds at the next call', async () => {
  const refund = { toolName: 'payments__refund', args: { amount: 180 } };
  expect((await runtime.fire('preToolUse', refund)).action).toBe('block');
  await runtime.store.put('limits', 'payments__refund', { askAbove: 200 });
  expect((await runtime.fire('preToolUse', refund)).action).toBe('allow');
});
