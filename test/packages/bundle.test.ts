import { appendFile, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  catalogFor,
  catalogOf,
  HANDLER,
  hookAt,
  hookOf,
  makeFolder,
  packageAt,
  writeTree,
  type Tree,
} from './workspace.ts';

const CONFIG = { packages: [{ package: './p', grants: [] }] };

/** A package `p` with the hook `guard`, whose handler is `source` and stands beside `files` of the package. */
function packageWith(source: string | Buffer, files: Tree = {}): Tree {
  return packageAt('p', 'p', { ...hookAt('guard'), 'hooks/guard/index.mjs': source, ...files });
}

async function guardOf(
  source: string | Buffer,
  files: Tree = {},
): Promise<ReturnType<typeof hookOf>> {
  return hookOf(await catalogFor(packageWith(source, files), CONFIG), 'guard');
}

/** Runs a bundle of this test's own making as a module. */
async function importCode(code: string): Promise<Record<string, unknown>> {
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<
    string,
    unknown
  >;
}

test('a hook of a package becomes one module without imports', async () => {
  const { source, failure } = await guardOf(
    'import { word } from "../../lib/word.js"; import data from "./data.json" with { type: "json" }; import dep from "dep"; export const createHook = () => word + data.n + dep;',
    {
      'lib/word.js': 'export const word = "ok";',
      'hooks/guard/data.json': { n: 1 },
      'node_modules/dep/package.json': { name: 'dep', version: '1.0.0', main: 'main.js' },
      'node_modules/dep/main.js': 'module.exports = "!";',
    },
  );
  expect(failure).toBeUndefined();
  expect(source.code).not.toMatch(/^import /m);
  const module = await importCode(source.code);
  expect((module['createHook'] as () => string)()).toBe('ok1!');
});

test('TypeScript is taken, and what is only a type is not looked for', async () => {
  const tree = packageAt('p', 'p', {
    'hooks/guard/hook.json': { name: 'guard', points: ['preInput'] },
    'hooks/guard/index.ts':
      'import type { Hook } from "@signalbox/sdk"; import { a } from "./a.ts"; enum E { X = 1 }\nexport const createHook = (): unknown => ({ run: () => ({ action: a, n: E.X }) as Hook });',
    'hooks/guard/a.ts': 'export const a: string = "allow";',
  });
  const hook = hookOf(await catalogFor(tree, CONFIG), 'guard');
  expect(hook.failure).toBeUndefined();
  expect(hook.source).toMatchObject({ file: 'hooks/guard/index.ts' });
});

test('a byte order mark, Windows line ends, top-level await and import.meta are fine', async () => {
  const { source, failure } = await guardOf(
    '\ufeffconst x = await 1;\r\nexport const meta = import.meta;\r\nexport default () => x;\r\n',
  );
  expect(failure).toBeUndefined();
  expect(source.code).toContain('import.meta');
  expect(source.code).not.toContain('\ufeff');
});

test.each([
  ['createHook', 'export const createHook = () => ({});'],
  ['a default export', 'export default { run() {} };'],
  ['a bare run', 'export function run() {}'],
])('[A11] %s makes a module a hook', async (_, source) => {
  expect((await guardOf(source)).failure).toBeUndefined();
});

test('[A11] a module that exports nothing of a hook stays in its chain and fails', async () => {
  const hook = await guardOf('export const somethingElse = 1;');
  expect(hook.failure).toEqual({
    code: 'load_error',
    detail: 'hooks/guard/index.mjs exports none of createHook, default and run',
  });
});

test('[B10] an import that is not installed is a load error at its line', async () => {
  const hook = await guardOf(
    '// a guard\nimport yaml from "not-installed";\nexport default () => yaml;',
  );
  expect(hook.failure).toEqual({
    code: 'load_error',
    detail:
      'hooks/guard/index.mjs:2 imports "not-installed", which is not installed in the package',
  });
});

test.each([
  ['node:fs'],
  ['fs'],
  ['fs/promises'],
  ['node:child_process'],
  ['worker_threads'],
  ['node:sqlite'],
  ['module'],
])('an import of %s is a load error with a hint', async (name) => {
  const hook = await guardOf(`import * as x from "${name}";\nexport default () => x;`);
  expect(hook.failure).toEqual({
    code: 'load_error',
    detail: `hooks/guard/index.mjs:1 imports "${name}", which no sandbox has; what a hook may do it does through ctx`,
  });
});

test.each([
  ['require', 'const fs = require("fs"); export default fs;'],
  ['a dynamic import', 'export default () => import("node:fs");'],
  ['an export from', 'export * from "node:fs"; export default 1;'],
  ['a guarded require', 'let fs; try { fs = require("fs"); } catch {} export default () => fs;'],
  ['a guarded import', 'export default () => import("node:fs").catch(() => null);'],
])('Node.js modules are found behind %s', async (_, source) => {
  expect((await guardOf(source)).failure).toMatchObject({
    code: 'load_error',
    detail: expect.stringContaining('no sandbox has'),
  });
});

const LATE = `
  const or = (loading) => loading.then((module) => module.default, ({ code }) => code);
  export const createHook = () => or(import('@extra/one'));`;

test.each([
  ['of its own', { optionalDependencies: { '@extra/one': '1' } }],
  ['of a peer', { peerDependenciesMeta: { '@extra/one': { optional: true } } }],
])(
  'an optional package %s that is not there fails when it is imported, and is taken once it is there',
  async (_, more) => {
    const folder = await makeFolder(
      packageWith(LATE, {
        'package.json': { name: 'p', version: '1.0.0', ...more },
        'node_modules/@extra/other/index.js': '',
      }),
    );
    const found = async (): Promise<unknown> => {
      const { source, failure } = hookOf(await catalogOf(folder, CONFIG), 'guard');
      expect(failure).toBeUndefined();
      return ((await importCode(source.code))['createHook'] as () => unknown)();
    };
    expect(await found()).toBe('MODULE_NOT_FOUND');
    await writeTree(folder, { 'p/node_modules/@extra/one/index.js': 'module.exports = "one";' });
    expect(await found()).toBe('one');
  },
);

test.each([
  ['is not declared', {}, LATE],
  [
    'is imported at the top',
    { optionalDependencies: { '@extra/one': '1' } },
    'import one from "@extra/one"; export default () => one;',
  ],
])('a package that is not there and %s is a load error', async (_, more, source) => {
  const { failure } = await guardOf(source, {
    'package.json': { name: 'p', version: '1.0.0', ...more },
  });
  expect(failure?.detail).toContain('imports "@extra/one", which is not installed');
});

test('a Node.js module that a dependency needs is a load error at the dependency', async () => {
  const hook = await guardOf('import dep from "dep"; export default dep;', {
    'node_modules/dep/package.json': { name: 'dep', version: '1.0.0' },
    'node_modules/dep/index.js': '\nmodule.exports = require("os");',
  });
  expect(hook.failure?.detail).toMatch(/^node_modules\/dep\/index\.js:2 imports "os"/);
});

test('a package that stands in for a Node.js module is bundled', async () => {
  const hook = await guardOf('import events from "events"; export default events;', {
    'node_modules/events/package.json': { name: 'events', version: '3.0.0' },
    'node_modules/events/index.js': 'module.exports = class Emitter {};',
  });
  expect(hook.failure).toBeUndefined();
});

test.each([
  ['an absolute path', '/etc/passwd'],
  ['a file URL', 'file:///etc/passwd'],
  ['a data URL', 'data:text/javascript,export default 1'],
  ['a web address', 'https://example.org/x.js'],
  ['an encoded way out', './..%2f..%2fsecret.mjs'],
  ['an encoded dot', './%2e%2e/secret.mjs'],
  ['a backslash', '.\\\\secret.mjs'],
  ['a way out', '../../../secret.mjs'],
  ['a way out by a package name', 'dep/../../../../secret.mjs'],
])('an import by %s is refused', async (_, specifier) => {
  const tree = {
    ...packageWith(`import x from "${specifier}"; export default x;`),
    'secret.mjs': 'export default "secret";',
  };
  const hook = hookOf(await catalogFor(tree, CONFIG), 'guard');
  expect(hook.failure).toMatchObject({
    code: 'load_error',
    detail: expect.stringMatching(/^hooks\/guard\/index\.mjs:1 /),
  });
  expect(hook.source.code).toBe('');
});

test('an import through a link that leads out of the package is refused', async () => {
  const folder = await makeFolder({
    ...packageWith('import x from "./x.mjs"; export default x;'),
    'secret.mjs': 'export default "secret";',
  });
  await symlink(join(folder, 'secret.mjs'), join(folder, 'p/hooks/guard/x.mjs'));
  expect(hookOf(await catalogOf(folder, CONFIG), 'guard').failure?.detail).toBe(
    'hooks/guard/index.mjs:1 imports "./x.mjs", which is not in the package',
  );
});

test('a package.json of the package cannot lead its imports out', async () => {
  const manifest = {
    name: 'p',
    version: '1.2.3',
    imports: { '#x': './../secret.mjs' },
    browser: { './x.mjs': '../secret.mjs' },
  };
  const tree = {
    ...packageWith('import x from "#x"; export default x;', { 'package.json': manifest }),
    'secret.mjs': 'export default "secret";',
  };
  expect(hookOf(await catalogFor(tree, CONFIG), 'guard').failure?.code).toBe('load_error');
});

test('a tsconfig.json of the package is not read', async () => {
  const hook = await guardOf('import x from "lib"; export default x;', {
    'tsconfig.json': { compilerOptions: { paths: { lib: ['../secret.mjs'] }, baseUrl: '.' } },
    '../secret.mjs': 'export default "secret";',
  });
  expect(hook.failure?.detail).toContain('imports "lib", which is not installed');
});

test('the node_modules around an unpacked package is not its own', async () => {
  const tree = {
    ...packageWith('import x from "neighbour"; export default x;'),
    'node_modules/neighbour/index.js': 'export default 1;',
  };
  expect(hookOf(await catalogFor(tree, CONFIG), 'guard').failure?.detail).toContain(
    'imports "neighbour", which is not in the package',
  );
});

test('a package in node_modules may import what it declares as a dependency from beside it, and nothing else', async () => {
  const manifest = { name: 'p', version: '1.0.0', dependencies: { dep: '*' } };
  const hook = (name: string): Tree =>
    hookAt(name, {}, `import x from "${name}"; export default x;`);
  const tree: Tree = {
    ...packageAt('node_modules/p', 'p', {
      'package.json': manifest,
      ...hook('dep'),
      ...hook('private'),
    }),
    'node_modules/dep/package.json': { name: 'dep', version: '1.0.0' },
    'node_modules/dep/index.js': 'import y from "./y.js"; export default y;',
    'node_modules/dep/y.js': 'export default "dep";',
    'node_modules/private/package.json': { name: 'private', version: '1.0.0' },
    'node_modules/private/index.js': 'export default "private";',
  };
  const packages = [{ package: './node_modules/p', grants: [] }];
  const catalog = await catalogFor(tree, { packages });
  expect(hookOf(catalog, 'dep').failure).toBeUndefined();
  expect(hookOf(catalog, 'private').failure?.detail).toContain('which is not in the package');
});

test.each([
  ['CommonJS', 'module.exports.createHook = () => ({});', 'hooks/guard/index.mjs is CommonJS'],
  ['an object as JSON', '{"run": 1}', 'hooks/guard/index.mjs:1:'],
  ['a list as JSON', '[]', 'exports none'],
  ['an empty file', '', 'exports none'],
  ['a syntax error', 'export default 1;\nlet = = 2;\n', 'hooks/guard/index.mjs:2: Unexpected "="'],
  ['an unfinished text', 'export default `', 'hooks/guard/index.mjs:1:'],
  ['bytes', Buffer.from([0, 1, 2, 255]), 'hooks/guard/index.mjs:1:'],
  [
    'an import of a missing file',
    'import "./none.js"; export default 1;',
    'imports "./none.js", which does not exist',
  ],
  ['an import of an addon', 'import x from "./x.node"; export default x;', 'neither JavaScript'],
  ['an import of WebAssembly', 'import x from "./x.wasm"; export default x;', 'neither JavaScript'],
  ['a missing name', 'import { b } from "./a.js"; export default b;', 'No matching export'],
])('%s is a load error that names the place and no host path', async (_, source, detail) => {
  const folder = await makeFolder(
    packageWith(source, {
      'hooks/guard/x.node': 'x',
      'hooks/guard/x.wasm': 'x',
      'hooks/guard/a.js': 'export const a = 1;',
    }),
  );
  const { failure } = hookOf(await catalogOf(folder, CONFIG), 'guard');
  expect(failure).toMatchObject({ code: 'load_error', detail: expect.stringContaining(detail) });
  expect(failure?.detail).not.toContain(folder);
});

test('more source than the cap is a load error', async () => {
  const hook = await guardOf(`export default ${JSON.stringify('x'.repeat(4 * 1024 * 1024))};`);
  expect(hook.failure).toMatchObject({
    code: 'load_error',
    detail: expect.stringContaining('larger than 4194304 bytes'),
  });
});

test('no code of a package runs while it is bundled', async () => {
  await guardOf('globalThis.signalboxWasHere = true; export default 1;', {
    'package.json': {
      name: 'p',
      version: '1.2.3',
      scripts: { prepare: 'touch was-here', install: 'touch was-here' },
    },
    'esbuild.config.js': 'globalThis.signalboxWasHere = true;',
  });
  expect('signalboxWasHere' in globalThis).toBe(false);
});

async function cachedCode(folder: string): Promise<string> {
  const names = await readdir(join(folder, 'packages-cache/bundles'));
  return join(folder, 'packages-cache/bundles', names.find((name) => name.endsWith('.mjs')) ?? '');
}

test('a bundle is taken from the cache while its files are unchanged', async () => {
  const folder = await makeFolder(packageWith(HANDLER));
  const first = hookOf(await catalogOf(folder, CONFIG), 'guard').source.code;
  // What is in the cache shows that it is read: the record is made to fit another text.
  const file = await cachedCode(folder);
  const before = await readdir(join(folder, 'packages-cache/bundles'));
  expect(hookOf(await catalogOf(folder, CONFIG), 'guard').source.code).toBe(first);
  expect(await readFile(file, 'utf8')).toBe(first);
  expect(await readdir(join(folder, 'packages-cache/bundles'))).toEqual(before);
});

test('a bundle that was changed in the cache is made anew', async () => {
  const folder = await makeFolder(packageWith(HANDLER));
  const first = hookOf(await catalogOf(folder, CONFIG), 'guard').source.code;
  await appendFile(await cachedCode(folder), '\nevil();');
  expect(hookOf(await catalogOf(folder, CONFIG), 'guard').source.code).toBe(first);
});

test.each([
  ['the handler', 'p/hooks/guard/index.mjs', 'import "./a"; export default () => "new";'],
  ['an import', 'p/hooks/guard/a.js', 'globalThis.x = "new";'],
  ['a file that takes the place of an import', 'p/hooks/guard/a.ts', 'globalThis.x = "new";'],
  [
    'a package that takes the place of another',
    'p/hooks/node_modules/dep/index.js',
    'globalThis.y = "new";',
  ],
  [
    'a package.json that directs an import',
    'p/node_modules/dep/package.json',
    '{"name":"dep","main":"new.js"}',
  ],
])('a change of %s makes a new bundle', async (_, path, text) => {
  const folder = await makeFolder(
    packageWith('import "./a"; import "dep"; export default () => "old";', {
      'hooks/guard/a.js': 'globalThis.x = "old";',
      'node_modules/dep/index.js': 'globalThis.y = "old";',
      'node_modules/dep/new.js': 'globalThis.y = "new";',
      'node_modules/dep/package.json': { name: 'dep' },
    }),
  );
  expect(hookOf(await catalogOf(folder, CONFIG), 'guard').source.code).not.toContain('new');
  await writeTree(folder, { [path]: text });
  expect(hookOf(await catalogOf(folder, CONFIG), 'guard').source.code).toContain('new');
});

test('a cache that cannot be used only costs time', async () => {
  const folder = await makeFolder({ ...packageWith(HANDLER), 'packages-cache': 'a file' });
  expect(hookOf(await catalogOf(folder, CONFIG), 'guard').failure).toBeUndefined();
});

test('records of the cache that are no records are passed over', async () => {
  const folder = await makeFolder(packageWith(HANDLER));
  const first = hookOf(await catalogOf(folder, CONFIG), 'guard').source.code;
  const bundles = join(folder, 'packages-cache/bundles');
  for (const text of ['null', '[]', '{"code":"../../x","inputs":{}}', '{"code":5}', '{']) {
    for (const name of await readdir(bundles))
      if (name.endsWith('.json')) await writeFile(join(bundles, name), text);
    expect(hookOf(await catalogOf(folder, CONFIG), 'guard').source.code).toBe(first);
  }
  await rm(bundles, { recursive: true });
});

test('a local hook in an isolate takes the sdk of the checkout with it', async () => {
  const folder = await makeFolder(
    hookAt('mine', {}, 'import { limit } from "@signalbox/sdk"; export default () => limit;'),
  );
  await writeTree(folder, {
    'node_modules/@signalbox/sdk/package.json': {
      name: '@signalbox/sdk',
      exports: { '.': { '@signalbox/source': './index.ts', default: './dist/index.js' } },
    },
    'node_modules/@signalbox/sdk/index.ts': 'export const limit: number = 7;',
  });
  const config = { hooks: { overrides: { mine: { sandbox: 'isolate' } } } };
  const hook = hookOf(await catalogOf(folder, config), 'mine');
  expect(hook.failure).toBeUndefined();
  expect(hook.source.code).toContain('var limit = 7');
});

test('a package that brings no sdk gets the one of this host, and one that brings its own keeps it', async () => {
  const source =
    'import { block } from "@signalbox/sdk"; export const createHook = () => ({ run: () => block("no") });';
  const lent = await guardOf(source);
  expect(lent.failure).toBeUndefined();
  expect(lent.source.code).toContain('action: "block"');
  const own = await guardOf(source, {
    'node_modules/@signalbox/sdk/package.json': { name: '@signalbox/sdk', main: 'own.js' },
    'node_modules/@signalbox/sdk/own.js': 'export const block = () => "my own";',
  });
  expect(own.source.code).toContain('my own');
});

test('nothing else of this host can be imported beside the sdk', async () => {
  for (const specifier of ['@signalbox/sdk/package.json', 'signalbox', 'esbuild']) {
    const { failure } = await guardOf(`import "${specifier}"; ${HANDLER}`);
    expect(failure?.detail).toContain('is not installed in the package');
  }
});
