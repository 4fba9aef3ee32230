import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { RUNTIME_LIMITS } from '../../sdk/limits.ts';
import { RUNTIME_SCHEMA } from '../../sdk/runtime-schema.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { configFromObject, loadConfig, parseConfig } from '../../src/config/load-config.ts';
import { makeFolder } from '../packages/workspace.ts';

function errorOf(text: string): SignalboxError {
  try {
    parseConfig(text, 'runtime.json');
  } catch (error) {
    if (error instanceof SignalboxError) return error;
    throw error;
  }
  throw new Error('The configuration was taken');
}

test('the schema of runtime.json is a JSON Schema', () => {
  const ajv = new Ajv2020();
  expect(ajv.validateSchema(RUNTIME_SCHEMA)).toBe(true);
});

test('an empty object gets every default, and absolute paths', async () => {
  const folder = await makeFolder({ 'runtime.json': '{}' });
  const config = await loadConfig(join(folder, 'runtime.json'));
  expect(config).toMatchObject({
    file: join(folder, 'runtime.json'),
    folder,
    packages: [],
    hooks: { order: [], disabled: [], required: [], config: {}, mode: {}, overrides: {} },
    limits: { ...RUNTIME_LIMITS, maxIsolates: 16 },
    store: { file: join(folder, '.signalbox/store.db'), indexes: {} },
    records: {
      file: join(folder, '.signalbox/records.db'),
      reasons: 'scrubbed',
      retentionDays: null,
    },
    server: { host: '127.0.0.1', port: 4747 },
  });
});

test('everything that runtime.json may say is taken as it is written', () => {
  const config = configFromObject(
    {
      $schema: 'https://signalbox.dev/schemas/runtime.json',
      packages: [
        '@acme/audit',
        {
          package: './guards',
          version: '^1',
          use: ['hooks.*'],
          as: { a: 'b' },
          grants: ['store:read:users'],
          partial: true,
        },
      ],
      hooks: {
        order: ['b'],
        disabled: ['c'],
        required: ['b'],
        config: { b: { level: 1 } },
        mode: { b: 'shadow' },
        failPolicy: { b: 'open' },
        overrides: {
          b: { timeoutMs: 10, memoryMb: 64, failPolicy: 'abort', sandbox: 'worker', priority: -1 },
        },
      },
      limits: { rssMb: 256, idleMs: null, maxIsolates: 2 },
      store: { file: 'data/store.db', indexes: { users: ['email'] } },
      records: { reasons: 'none', retentionDays: 30 },
      server: { port: 0, token: 'secret' },
      approvals: {},
      access: {},
      agents: {},
      budgets: {},
      trust: {},
    },
    '/srv',
  );
  expect(config.file).toBeUndefined();
  expect(config.packages[0]).toEqual({ package: '@acme/audit', as: {}, partial: false });
  expect(config.packages[1]).toMatchObject({
    grants: ['store:read:users'],
    as: { a: 'b' },
    partial: true,
  });
  expect(config.hooks.overrides['b']).toMatchObject({ sandbox: 'worker', priority: -1 });
  expect(config.limits).toMatchObject({ rssMb: 256, idleMs: null, maxIsolates: 2, loadMs: 2000 });
  expect(config.store.file).toBe('/srv/data/store.db');
});

test('null lifts a limit, and what the host needs as a number stays one that timers take', () => {
  const { limits } = parseConfig(
    '{"limits":{"queueMs":null,"queueLength":null,"payloadBytes":null}}',
    'r.json',
  );
  expect(limits).toMatchObject({
    queueMs: 2_147_483_647,
    queueLength: Number.MAX_SAFE_INTEGER,
    payloadBytes: null,
  });
});

test('a hook may be called like a property that every object has', () => {
  const { hooks } = parseConfig('{}', 'runtime.json');
  expect(hooks.config['constructor']).toBeUndefined();
  expect(hooks.overrides['toString']).toBeUndefined();
});

test.each([
  ['a trailing comma', '{\n  "packages": [],\n}', 3, 1],
  ['a comment', '{\n  // none\n}', 2, 3],
  ['a key twice', '{\n  "hooks": {},\n  "hooks": {}\n}', 3, 3],
  ['an unfinished object', '{"hooks": {', 1, 12],
  ['text after the value', '{}\n{}', 2, 1],
  ['single quotes', "{'hooks': {}}", 1, 2],
  ['an empty file', '', 1, 1],
  ['a __proto__ key', '{"hooks": {"config": {"__proto__": {}}}}', 1, 23],
  ['deep nesting', `{"trust": ${'['.repeat(5000)}`, 1, 266],
])('%s is a syntax error with its line and column', (_, text, line, column) => {
  expect(errorOf(text)).toMatchObject({
    code: 'config_syntax',
    data: { file: 'runtime.json', line, column },
  });
});

test.each([
  ['{"packags": []}', 'packags', 'did you mean "packages"?'],
  ['{"hooks": {"ordr": []}}', 'hooks.ordr', 'did you mean "order"?'],
  [
    '{"packages": [{"package": "./a", "grant": []}]}',
    'packages[0].grant',
    'did you mean "grants"?',
  ],
  ['{"packages": ["./a", {"package": "./b", "use": [1]}]}', 'packages[1].use[0]', 'must be string'],
  ['{"packages": [7]}', 'packages[0]', 'must be string or object'],
  ['{"packages": [{"use": []}]}', 'packages[0]', 'lacks "package"'],
  ['{"packages": ["Not A Name"]}', 'packages[0]', 'must be a package name'],
  ['{"packages": [{"package": "@acme/a@1.0.0"}]}', 'packages[0].package', 'must be a package name'],
  ['{"packages": [{"package": "./a", "version": "one"}]}', 'packages[0].version', 'semver range'],
  ['{"packages": [{"package": "./a", "use": ["guard"]}]}', 'packages[0].use[0]', 'hooks.<name>'],
  ['{"packages": [{"package": "./a", "grants": "*"}]}', 'packages[0].grants', 'must be array'],
  [
    '{"packages": [{"package": "./a", "grants": ["*"]}]}',
    'packages[0].grants[0]',
    'unknown capability',
  ],
  [
    '{"packages": [{"package": "./a", "grants": ["store:raed"]}]}',
    'packages[0].grants[0]',
    'did you mean "store:read"?',
  ],
  [
    '{"packages": [{"package": "./a", "as": {"x": "../y"}}]}',
    'packages[0].as.x',
    'letters, digits',
  ],
  ['{"hooks": {"mode": {"a": "shadows"}}}', 'hooks.mode.a', 'did you mean "shadow"?'],
  ['{"hooks": {"failPolicy": "open"}}', 'hooks.failPolicy', 'must be object'],
  [
    '{"hooks": {"overrides": {"a.b": {"timeoutMs": 0}}}}',
    'hooks.overrides["a.b"].timeoutMs',
    'must be >= 1',
  ],
  [
    '{"hooks": {"overrides": {"a": {"sandbox": "none"}}}}',
    'hooks.overrides.a.sandbox',
    'isolate, worker',
  ],
  ['{"limits": {"queueMs": "1s"}}', 'limits.queueMs', 'must be integer or null'],
  ['{"limits": {"loadMs": 9e12}}', 'limits.loadMs', 'must be <= 2147483647'],
  ['{"server": {"port": 70000}}', 'server.port', 'must be <= 65535'],
  ['{"records": {"reasons": "all"}}', 'records.reasons', 'full, scrubbed, none'],
  [tokensNamed('jane', 'bob', 'jane'), 'server.tokens[2].name', 'name of another token'],
  [tokensNamed('jane', 'Jane '), 'server.tokens[1].name', 'name of another token'],
  [tokensNamed('token'), 'server.tokens[0].name', 'the server itself gives'],
  [tokensNamed('jane', 'local'), 'server.tokens[1].name', 'the server itself gives'],
  ['[]', '', 'must be object'],
  ['null', '', 'must be object'],
])('%s is refused at its key', (text, key, detail) => {
  const error = errorOf(text);
  expect(error).toMatchObject({
    code: 'config_invalid',
    data: { file: 'runtime.json', line: 1, key },
  });
  expect(error.message).toContain(detail);
});

function tokensNamed(...names: readonly string[]): string {
  const tokens = names.map((name) => ({ name, role: 'agent', env: 'TOKEN' }));
  return JSON.stringify({ server: { tokens } });
}

test('an invalid value is found at its own line', () => {
  const text = '{\n  "hooks": {\n    "order": [\n      "a",\n      7\n    ]\n  }\n}';
  expect(errorOf(text).data).toMatchObject({ line: 5, column: 7, key: 'hooks.order[1]' });
});

test('no error repeats a token', () => {
  expect(errorOf('{"server": {"token": ["hunter2"]}}').message).not.toContain('hunter2');
});

test('a file that is not there, is a folder or is no text says so', async () => {
  const folder = await makeFolder({ 'latin.json': Buffer.from([0x7b, 0xe9, 0x7d]) });
  const missing = join(folder, 'none.json');
  await expect(loadConfig(missing)).rejects.toMatchObject({
    code: 'config_missing',
    data: { file: missing },
  });
  await expect(loadConfig(folder)).rejects.toMatchObject({ code: 'config_missing' });
  await expect(loadConfig(join(folder, 'latin.json'))).rejects.toMatchObject({
    code: 'config_missing',
  });
});

test('a byte order mark and Windows line ends are fine', () => {
  expect(parseConfig('\ufeff{\r\n  "packages": []\r\n}\r\n', 'runtime.json').packages).toEqual([]);
});
