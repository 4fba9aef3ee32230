import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { expectDecision, openTestHost, type TestHost } from '../../src/testing/index.ts';
import '../../src/testing/vitest.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ROOT = join(import.meta.dirname, '../..');

/** The body of `run` after `=>`, at preToolUse with every bridge. */
const inline = (run: string, manifest: object = {}) => ({
  manifest: {
    name: 'inline',
    points: ['preToolUse'],
    capabilities: [
      'reads_tool_io',
      'gates_tools',
      'injects_context',
      'store:read',
      'store:write',
      'secrets:KEY',
      'net:fetch:api.example.com',
      'llm:call',
    ],
    ...manifest,
  },
  module: `export const createHook = (config) => ({ run: async (point, payload, ctx) => ${run} });`,
});

const CALL = { toolName: 'pay', args: { amount: 5 } };

/** One hook whose tool name says what it shall do. */
const SCRIPTED = inline(`{
  const { toolName, args } = payload;
  if (toolName === 'allow') return { action: 'allow' };
  if (toolName === 'block') return { action: 'block', reason: 'Not ' + config.word };
  if (toolName === 'ask') return { action: 'ask', reason: 'Sure?' };
  if (toolName === 'modify') return { action: 'modify', payload: { args: { amount: args.amount + 1 } } };
  if (toolName === 'answer') return { action: 'result', result: { rate: 2 } };
  if (toolName === 'rework') return { action: 'rework', feedback: 'Cite it' };
  if (toolName === 'throw') throw new Error('odd');
  if (toolName === 'who') return { action: 'block', reason: ctx.caller.userId + ' ' + ctx.session.id };
  if (toolName === 'secret') return { action: 'block', reason: String((await ctx.secret('KEY')).length) };
  if (toolName === 'fetch') return { action: 'block', reason: await (await ctx.fetch('https://api.example.com/x')).text() };
  if (toolName === 'llm') return { action: 'block', reason: await ctx.llm('is it fine?') };
  if (toolName === 'store') {
    const row = await ctx.store.get('limits', 'pay');
    const some = await ctx.store.query('limits', { 'who.team': 'a' });
    await ctx.store.put('seen', 'pay', { max: row.max, some: some.length });
    return { action: 'allow' };
  }
  ctx.log('noted');
  return { action: 'allow', notice: { text: 'hello' }, inject: [{ content: 'be kind' }] };
}`);

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost({
    hook: SCRIPTED,
    config: { word: 'today' },
    caller: { userId: 'ann', source: 'chat' },
    store: {
      limits: { pay: { max: 3, who: { team: 'a' } }, other: { max: 4, who: { team: 'b' } } },
    },
    secrets: { KEY: '12345' },
    fetch: ({ url, method }) => ({
      status: 200,
      url: url.href,
      headers: {},
      body: `${method} ${url.href}`,
    }),
    llm: (prompt) => `yes to ${prompt}`,
  });
});

afterAll(() => host.close());

const run = (toolName: string) => host.run('preToolUse', { ...CALL, toolName });

test('each decision has its matcher', async () => {
  expect(await run('allow')).toAllow();
  expect(await run('block')).toBlock(/today/);
  expect(await run('block')).toBlock('Not today');
  expect(await run('ask')).toAsk('Sure?');
  expect(await run('modify')).toModify({ args: { amount: 6 } });
  expect(await run('answer')).toAnswer({ rate: 2 });
  expect(await run('rework')).toRework(/Cite/);
  expect(await run('throw')).toFail('thrown');
});

test('a matcher that is not met says what happened instead', async () => {
  const blocked = await run('block');
  expect(() => expect(blocked).toBlock(/tomorrow/)).toThrow(/said block \(Not today\)/);
  expect(() => expect(blocked).toAllow()).toThrow('expected the hook to allow');
  expect(() => expect(blocked).not.toBlock()).toThrow('expected the hook not to block');
  expect(() => expectDecision(blocked).toAsk()).toThrow('expected the hook to ask');
  expectDecision(blocked).toBlock('Not today');
});

test('a failure is never taken for a decision, though callers see a block', async () => {
  const failed = await run('throw');
  expect(failed.action).toBe('block');
  expect(failed.failure).toBe('thrown');
  expect(failed).not.toBlock();
  expect(() => expectDecision(failed).toBlock()).toThrow('failed with thrown: Error: odd');
});

test('a decision without what differs from run to run is fit for a snapshot', async () => {
  expect((await run('modify')).decision).toEqual({
    action: 'modify',
    changes: { args: { amount: 6 } },
  });
  expect((await run('note')).decision).toEqual({
    action: 'allow',
    inject: ['be kind'],
    notices: ['hello'],
    logs: ['noted'],
  });
});

test('the store is one of the test: it keeps what the hook asked and what it wrote', async () => {
  host.store.reset();
  expect(await run('store')).toAllow();
  expect(host.store.calls).toEqual([
    { op: 'get', collection: 'limits', key: 'pay' },
    { op: 'query', collection: 'limits', filter: { 'who.team': 'a' } },
    { op: 'put', collection: 'seen', key: 'pay', value: { max: 3, some: 1 } },
  ]);
  expect(host.store.rows('seen')).toEqual({ pay: { max: 3, some: 1 } });
  host.store.reset();
  expect(host.store.rows('seen')).toEqual({});
});

test('caller, secrets, fetch and model are those of the test', async () => {
  expect(await run('who')).toBlock(/^ann /);
  const other = await host.run(
    'preToolUse',
    { ...CALL, toolName: 'who' },
    {
      sessionId: 's1',
      caller: { userId: 'bob' },
    },
  );
  expect(other).toBlock('bob s1');
  expect(await run('secret')).toBlock('5');
  expect(await run('fetch')).toBlock('GET https://api.example.com/x');
  expect(await run('llm')).toBlock('yes to is it fine?');
});

test('what a test does not give is not there: nothing leaves it', async () => {
  const bare = await openTestHost({ hook: SCRIPTED });
  try {
    const outcome = await bare.run('preToolUse', { ...CALL, toolName: 'fetch' });
    expect(outcome).toFail('thrown');
  } finally {
    await bare.close();
  }
});

test('time stands still and chance repeats itself where a test says so', async () => {
  const hook = inline(
    '({ action: "block", reason: [new Date().toISOString(), Date.now(), new Date(0).getTime(), payload.timestamp, Math.random()].join(" ") })',
  );
  const options = { hook, now: '2026-01-02T03:04:05.000Z', seed: 7 };
  const reasons: (string | undefined)[] = [];
  for (let round = 0; round < 2; round += 1) {
    const fixed = await openTestHost(options);
    reasons.push((await fixed.run('preToolUse', CALL)).reason);
    await fixed.close();
  }
  expect(reasons[0]).toMatch(
    /^2026-01-02T03:04:05.000Z 1767323045000 0 2026-01-02T03:04:05.000Z 0\.\d+$/,
  );
  expect(reasons[1]).toBe(reasons[0]);
});

test('a recording that is missing needs something real, and answers the same calls once it is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-recording-'));
  const recording = join(folder, 'calls.json');
  writeFileSync(recording, JSON.stringify([{ call: ['llm', 'is it fine?'], answer: 'recorded' }]));
  const replayed = await openTestHost({ hook: SCRIPTED, recording });
  try {
    expect(await replayed.run('preToolUse', { ...CALL, toolName: 'llm' })).toBlock('recorded');
    expect(await replayed.run('preToolUse', { ...CALL, toolName: 'fetch' })).toFail('thrown');
  } finally {
    await replayed.close();
    expect(readFileSync(recording, 'utf8')).toContain('recorded');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('less than the hook declares can be granted', async () => {
  const narrow = await openTestHost({ hook: SCRIPTED, grants: ['reads_tool_io'] });
  try {
    const outcome = await narrow.run('preToolUse', { ...CALL, toolName: 'block' });
    expect(outcome).toFail('capability');
  } finally {
    await narrow.close();
  }
});

test('hooks of packages run in an isolate, those beside a runtime.json in a worker thread', async () => {
  const local = await openTestHost({ hook: join(ROOT, 'hooks/pii-redactor') });
  try {
    expect(local.runtime.inventory().hooks.map((row) => [row.hook, row.sandbox])).toEqual([
      ['pii-redactor', 'worker'],
    ]);
    expect(await local.run('preInput', { text: 'ann@example.com' })).toModify({ text: '[EMAIL]' });
  } finally {
    await local.close();
  }
  expect(host.runtime.inventory().hooks[0]?.sandbox).toBe('isolate');
});

test.each(['package.json', 'runtime.json'])(
  'a host takes over what the files say now, or says what is wrong with them: beside a %s',
  async (beside) => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-reload-'));
    const hook = join(folder, 'hooks/saying');
    mkdirSync(hook, { recursive: true });
    writeFileSync(join(folder, beside), '{"name": "saying", "version": "1.0.0", "type": "module"}');
    const manifest = { name: 'saying', points: ['preInput'], timeoutMs: 20_000 };
    const says = (word: string): void =>
      writeFileSync(
        join(hook, 'index.mjs'),
        `export const run = () => ({ action: 'block', reason: '${word}' });`,
      );
    const bind = (...capabilities: string[]): void =>
      writeFileSync(join(hook, 'hook.json'), JSON.stringify({ ...manifest, capabilities }));
    bind('reads_input', 'gates_input');
    says('one');
    const own = await openTestHost({ hook });
    try {
      expect(await own.run('preInput', { text: '' })).toBlock('one');
      says('two');
      await own.reload();
      expect(await own.run('preInput', { text: '' })).toBlock('two');
      bind('reads_input');
      await own.reload();
      expect(await own.run('preInput', { text: '' })).toFail('capability');
      writeFileSync(join(hook, 'index.mjs'), 'export const run = (;');
      await expect(own.reload()).rejects.toThrow('saying');
    } finally {
      await own.close();
      rmSync(folder, { recursive: true });
    }
  },
);

test.each([
  ['a folder that is not there', '/nowhere', 'there is no folder'],
  ['a folder without a hook', join(ROOT, 'docs'), 'has no hook.json'],
  ['a folder with several', ROOT, 'name the folder of one'],
])('%s is told', async (_, hook, detail) => {
  await expect(openTestHost({ hook })).rejects.toMatchObject({
    code: 'test_setup',
    message: expect.stringContaining(detail) as string,
  });
});

test('a hook that cannot be loaded is told with its own code and place', async () => {
  const hook = {
    manifest: SCRIPTED.manifest,
    module: 'export const createHook = () => {\n  oops(;',
  };
  await expect(openTestHost({ hook })).rejects.toMatchObject({
    code: 'load_error',
    data: { detail: expect.stringContaining('index.mjs:2') as string },
  });
  const lost = { manifest: { ...SCRIPTED.manifest, points: ['beforeLunch'] }, module: '' };
  await expect(openTestHost({ hook: lost })).rejects.toThrow('hook.json, line 1: "points"[0]');
});

test('what a hook throws is told with its place in the source of its author, TypeScript too', async () => {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-frames-'));
  const folder = join(root, 'hooks', 'typed');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(root, 'package.json'),
    '{"name": "typed", "version": "1.0.0", "type": "module"}',
  );
  writeFileSync(join(folder, 'hook.json'), JSON.stringify({ ...SCRIPTED.manifest, name: 'typed' }));
  const thrower = [
    'interface Unused {',
    '  readonly a: string;',
    '}',
    '',
    'export function judge(limit: Unused | number): never {',
    "  throw new Error('too much');",
    '}',
  ];
  writeFileSync(join(root, 'judge.ts'), thrower.join('\n'));
  writeFileSync(
    join(folder, 'index.ts'),
    "import { judge } from '../../judge.ts';\n\nexport const createHook = () => ({\n  run: () => judge(1),\n});\n",
  );
  const typed = await openTestHost({ hook: folder });
  try {
    const outcome = await typed.run('preToolUse', CALL);
    expect(outcome).toFail('thrown');
    expect(outcome.detail).toMatch(
      /Error: too much\n.* \(?judge\.ts:6:9\)?\n.*hooks\/typed\/index\.ts:4:14/,
    );
  } finally {
    await typed.close();
    rmSync(root, { recursive: true, force: true });
  }
});
