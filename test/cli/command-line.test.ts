import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { ended, lineOf, MAIN, openWorkplace, type Workplace } from './command-line.ts';

const CAPABILITIES = ['reads_tool_io', 'gates_tools', 'reads_input', 'gates_input'];

function hook(folder: string, name: string, module: string, more: object = {}) {
  const manifest = {
    name,
    points: ['preToolUse'],
    capabilities: CAPABILITIES,
    timeoutMs: 20_000,
    ...more,
  };
  return {
    [`${folder}hooks/${name}/hook.json`]: manifest,
    [`${folder}hooks/${name}/index.mjs`]: module,
  };
}

function fixture(toolName: string, expected: object) {
  return { point: 'preToolUse', payload: { toolName }, expect: expected };
}

const GUARD = `export const createHook = () => (point, payload, ctx) => {
  if (payload.toolName !== 'drop') return { action: 'allow' };
  ctx.log('saw it \\u001b[31m');
  return { action: 'block', reason: 'Not \\u001b[2J\\u202ethis' };
};`;

const CALM = { loadMs: 20_000, queueMs: 20_000 };

function call(name: string) {
  return { function: { name, arguments: '{}' } };
}

const RECORDING = [
  {
    id: 'one',
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', tool_calls: [call('drop')] },
    ],
  },
  { id: 'two', messages: [{ role: 'assistant', tool_calls: [call('look'), call('drop')] }] },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

let place: Workplace;
let faulty: Workplace;

beforeAll(async () => {
  place = await openWorkplace({
    'runtime.json': {
      packages: [{ package: './guards', grants: CAPABILITIES }],
      limits: CALM,
      server: { port: 0 },
    },
    'guards/package.json': { name: 'guards', version: '1.2.3', type: 'module' },
    ...hook('guards/', 'guard', GUARD),
    'guards/hooks/guard/fixtures/blocks.json': fixture('drop', { action: 'block' }),
    ...hook('', 'homely', 'export const run = () => ({ action: "allow" });', { priority: 5 }),
    'hooks/homely/fixtures/allows.json': fixture('look', {
      action: 'allow',
      payload: { toolName: 'look', args: {}, isDelegated: false, planModeActive: false },
    }),
    'recordings/small.jsonl': RECORDING,
    'small.jsonl': RECORDING,
    'rows.jsonl': '{"key":"a","value":{"n":1,"t":"x"}}\n{"key":"b","value":{"n":2,"t":"1"}}\n',
  });
  faulty = await openWorkplace({
    'runtime.json': { limits: CALM },
    ...hook('', 'wrong-word', 'export const run = () => ({ action: "deny", reason: "x" });'),
    ...hook('', 'no-import', 'import "nowhere"; export const run = () => ({ action: "allow" });', {
      points: ['postTurn'],
      capabilities: [],
    }),
    ...hook('', 'differs', 'export const run = () => ({ action: "allow" });', {
      points: ['preInput'],
    }),
    'hooks/differs/fixtures/a.json': {
      point: 'preInput',
      payload: { text: 'x' },
      expect: { action: 'block' },
    },
    'hooks/differs/fixtures/b.json': { point: 'preInput', payload: { text: 'x' } },
    'hooks/differs/fixtures/c.json': '{"point":\n oops}',
    'bad.jsonl': `${RECORDING}\n{"id": broken\n`,
  });
});

afterAll(async () => {
  await place.remove();
  await faulty.remove();
});

/** What a terminal would take for more than text. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

test('hooks lists what is live with its package, sandbox, grants, policy and order', async () => {
  const { code, out, err } = await place.runAlone(['hooks']);
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['point', 'order', 'hook', 'package', 'sandbox', 'capabilities', 'failPolicy', 'state'],
    [
      'preToolUse',
      '1',
      'guard',
      'guards@1.2.3',
      'isolate',
      CAPABILITIES.join(', '),
      'closed',
      'live',
    ],
    ['preToolUse', '2', 'homely', 'local', 'worker', CAPABILITIES.join(', '), 'closed', 'live'],
    [''],
  ]);
  const json = await place.run(['hooks', '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ health: 'ok', hooks: [{}, {}] });
});

test('hooks lists what is not live and why', async () => {
  const { code, out } = await faulty.run(['hooks']);
  expect(code).toBe(0);
  expect(out).toMatch(/postTurn .* no-import .* failing: load_error/);
});

test('a test runs one hook or the chain through the live path, and prints nothing that drives a terminal', async () => {
  const payload = '{"toolName":"drop"}';
  const piped = ['test', 'preToolUse', '--payload', '-'];
  const { code, out, err } = await place.runAlone(piped, payload);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('preToolUse: block Not');
  expect(out).toContain('Not run: homely');
  expect(out).toContain('log guard: saw it');
  expect(out).not.toMatch(UNPRINTABLE);
  const file = await place.write('payload.json', payload);
  const args = ['test', 'preToolUse', '--hook', 'homely', '--payload', file, '--json'];
  const one = await place.run(args);
  expect(JSON.parse(one.out)).toMatchObject({ action: 'allow', hooks: [{ name: 'homely' }] });
  const expecting = await place.run([...args, '--expect', 'block']);
  expect([expecting.code, expecting.err]).toEqual([1, 'expected block, and it is allow\n']);
});

test('[A03] test fails on a wrong word and names the legal ones', async () => {
  const payload = await faulty.write('payload.json', '{"toolName":"t"}');
  const { code, out, err } = await faulty.run(['test', 'preToolUse', '--payload', payload]);
  expect(code).toBe(1);
  expect(out).toContain('Hook "wrong-word" failed (fail-closed)');
  expect(err).toContain('invalid_decision');
  expect(err).toContain('allow, block, ask, modify, result, rework');
});

test('a test without a point runs the fixtures of the hooks', async () => {
  const { code, out } = await place.run(['test']);
  expect(code).toBe(0);
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['hook', 'fixture', 'result'],
    ['homely', 'hooks/homely/fixtures/allows.json', 'ok'],
    ['guard', 'hooks/guard/fixtures/blocks.json', 'ok'],
    [''],
  ]);
});

test('[B10] test fails on a hook that cannot load, a fixture that differs and one that cannot be read', async () => {
  const { code, out } = await faulty.runAlone(['test', '--json']);
  expect(code).toBe(1);
  const outcomes = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { hook: string; fixture: string; problems: string[] });
  expect(
    outcomes.map(({ hook: name, fixture: file, problems }) => [name, file, problems.join()]),
  ).toEqual([
    ['no-import', '(load)', expect.stringContaining('load_error')],
    ['differs', 'hooks/differs/fixtures/a.json', 'action is "allow", expected "block"'],
    ['differs', 'hooks/differs/fixtures/b.json', expect.stringContaining('lacks "expect"')],
    ['differs', 'hooks/differs/fixtures/c.json', expect.stringContaining('line 2')],
  ]);
});

test('a test of nothing is no success', async () => {
  const none = await faulty.runAlone(['test', '--hook', 'wrong-word']);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('error fixture_missing')]);
  const unknown = await faulty.run(['test', '--hook', 'wrong-wrd']);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('"wrong-word"')]);
});

test('replay ends with a table by tool and hook', async () => {
  const { code, out, err } = await place.run(['replay', 'small.jsonl']);
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['point', 'tool', 'hook', 'fires', 'allow', 'block'],
    ['preInput', '-', '-', '1', '1', '0'],
    ['preToolUse', 'drop', 'guard', '2', '0', '2'],
    ['preToolUse', 'look', '-', '1', '1', '0'],
    ['2 conversations, 3 tool calls, 4 fires, 2 not allowed'],
    [''],
  ]);
});

test('replay gives machines one row per fire', async () => {
  const { code, out, err } = await place.run([
    'replay',
    'small.jsonl',
    '--json',
    '--decisions',
    'd.jsonl',
  ]);
  expect([code, err]).toEqual([0, '']);
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  const allowed = { action: 'allow', hook: null, code: null, reason: null };
  const blocked = {
    tool: 'drop',
    action: 'block',
    hook: 'guard',
    code: null,
    reason: expect.any(String),
  };
  expect(rows).toEqual([
    { conversation: 'one', call: null, point: 'preInput', tool: null, ...allowed },
    { conversation: 'one', call: 0, point: 'preToolUse', ...blocked },
    { conversation: 'two', call: 0, point: 'preToolUse', tool: 'look', ...allowed },
    { conversation: 'two', call: 1, point: 'preToolUse', ...blocked },
  ]);
  expect(out).not.toMatch(UNPRINTABLE);
  const written = await readFile(`${place.folder}/d.jsonl`, 'utf8');
  expect(
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual(rows);
});

test('replay tells each bad line and file, goes on, and ends with 1', async () => {
  const { code, out, err } = await faulty.run(['replay', 'absent.jsonl', 'bad.jsonl']);
  expect(code).toBe(1);
  expect(err).toMatch(/error file_unreadable: .*absent\.jsonl.*ENOENT/);
  expect(err).toMatch(/error conversation_invalid: .*bad\.jsonl" at line 3/);
  expect(out).toContain('2 conversations, 3 tool calls');
});

test('replay never writes over what it reads', async () => {
  const { code, err } = await place.run(['replay', 'small.jsonl', '--decisions', './small.jsonl']);
  expect([code, err]).toEqual([2, expect.stringContaining('error file_unwritable')]);
  expect(await readFile(`${place.folder}/small.jsonl`, 'utf8')).toBe(RECORDING);
  const nowhere = await place.run(['replay', 'small.jsonl', '--decisions', 'no/such/d.jsonl']);
  expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('ENOENT')]);
});

test('a reader that goes away early is no error', async () => {
  const { code, out, err } = await place.shell('$SB replay small.jsonl --json | head -1');
  expect([code, err]).toEqual([0, '']);
  expect(out.trim().split('\n')).toHaveLength(1);
  const closed = await place.shell('$SB --help >&-');
  expect(closed.code).toBe(0);
});

test('no colour or escape goes into a pipe, whatever the terminal could do', async () => {
  const { out, err } = await place.shell('TERM=xterm-256color $SB replay small.jsonl; $SB bogus');
  expect(out + err).not.toMatch(UNPRINTABLE);
});

test('store loads, lists, gets and queries', async () => {
  const loaded = await place.run(['store', 'load', 'things', 'rows.jsonl']);
  expect(loaded).toEqual({
    code: 0,
    out: 'Loaded 2 rows into things, 0 of them replaced\n',
    err: '',
  });
  const list = await place.run(['store', 'list', '--json']);
  expect(JSON.parse(list.out)).toEqual([{ name: 'things', rows: 2 }]);
  const get = await place.run(['store', 'get', 'things', 'a']);
  expect(JSON.parse(get.out)).toEqual({ n: 1, t: 'x' });
  expect(await place.run(['store', 'get', 'things', 'z'])).toMatchObject({
    code: 1,
    out: 'null\n',
  });
  const query = async (...where: string[]) =>
    (await place.run(['store', 'query', 'things', ...where.flatMap((text) => ['--where', text])]))
      .out;
  expect(await query('n=2')).toBe('{"n":2,"t":"1"}\n');
  expect(await query('t="1"')).toBe('{"n":2,"t":"1"}\n');
  expect(await query('t=x', 'n=1')).toBe('{"n":1,"t":"x"}\n');
  const bad = await place.write('bad-rows.jsonl', '{"key":"c","value":1}\n{"key":');
  const refused = await place.run(['store', 'load', 'things', bad]);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/error row_invalid: .*line 2/),
  ]);
});

test.each([
  [[], 'No command was given'],
  [['bogus'], "unknown command 'bogus'"],
  [['hooks', '--nope'], "unknown option '--nope'"],
  [['replay'], "missing required argument 'file'"],
  [['start', '--port', '70000'], 'It must be a number from 0 to 65535'],
  [['test', 'preToolUs'], 'did you mean "preToolUse"?'],
  [['test', '--payload', 'x'], '--payload and --expect need a point'],
  [['test', 'preToolUse', '--expect', 'deny'], '--expect takes one of block, ask'],
  [['test', 'preToolUse', '--payload', 'absent.json'], 'ENOENT'],
  [['test', 'preToolUse', '--payload', 'small.jsonl'], 'at line 2'],
  [['test', 'preInput'], 'The payload does not fit preInput'],
  [['--config', 'absent.json', 'hooks'], 'error config_missing'],
  [['store', 'query', 'things', '--where', 'n'], '--where takes field=value'],
])('what is wrong with a command line ends with 2 and one clear error: %j', async (args, words) => {
  const { code, out, err } = await place.run(args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(words);
  expect(err.match(/^error /gm)).toHaveLength(1);
});

test('with --json errors are JSON too', async () => {
  const { code, err } = await place.run(['--config', 'absent.json', 'hooks', '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(err)).toMatchObject({
    error: { code: 'config_missing', hint: expect.any(String) },
  });
});

test('help and version go to standard output', async () => {
  const help = await place.runAlone(['--help']);
  expect([help.code, help.err]).toEqual([0, '']);
  expect(help.out).toContain('Exit codes:');
  const version = await place.runAlone(['--version']);
  expect(version.out).toMatch(/^\d+\.\d+\.\d+/);
});

test('start shows the hooks, replays, serves, and drains on a signal', async () => {
  const child = place.start(['start', '--port', '0']);
  const end = ended(child);
  const line = await lineOf(child, /^Listening on/);
  const url = /http:\S+/.exec(line)?.[0] ?? '';
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok', reasons: [] });
  child.kill('SIGINT');
  const { code, out, err } = await end;
  expect(code).toBe(0);
  expect(out).toMatch(/^point +order +hook/);
  expect(out).toMatch(/^one #0 {2}block preToolUse drop {2}guard: Not/m);
  expect(out).toMatch(/^two #1 {2}block preToolUse drop {2}guard: Not/m);
  expect(out).not.toMatch(/allow/);
  expect(out).not.toMatch(UNPRINTABLE);
  expect(err).toMatch(/2 conversations, .*; first decision \d+ ms after the start/);
  expect(err).toContain('"event":"guardrail_decision"');
});

test('start says so when its port is in use, and ends with 1 as that may pass', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => taken.once('listening', done));
  const { port } = taken.address() as AddressInfo;
  const { code, err } = await place.run(['start', '--no-replay', '--port', String(port)]);
  expect([code, err]).toEqual([1, expect.stringContaining('the port is in use')]);
  const open = await place.run(['start', '--no-replay', '--host', '0.0.0.0']);
  expect([open.code, open.err]).toEqual([2, expect.stringContaining('error bind_refused')]);
  taken.close();
});

test('start without serving ends after the replay', async () => {
  const { code, out } = await place.run(['start', '--no-serve', '--replay', 'small.jsonl']);
  expect(code).toBe(0);
  expect(out).not.toContain('Listening');
});

test('a second signal ends at once what does not end by itself', async () => {
  const stuck = await openWorkplace({
    'runtime.json': { limits: CALM },
    ...hook('', 'stuck', 'export const run = () => new Promise(() => {});', { timeoutMs: 60_000 }),
    'small.jsonl': RECORDING,
  });
  const child = stuck.start(['start', '--no-serve', '--replay', 'small.jsonl']);
  const end = ended(child);
  await new Promise<void>((seen) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.includes('Replaying')) seen();
    });
  });
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect((await end).code).toBe(130);
  await stuck.remove();
});

test('an older Node is told so in one line', async () => {
  const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`;
  const { code, out, err } = await place.shell(
    `'${process.execPath}' --import '${older}' '${MAIN}' hooks`,
  );
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^error node_too_old: .*24.*20\.1\.0.*\n$/);
});
