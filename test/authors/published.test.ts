import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { extract } from 'tar';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PUBLISHED, stagePackage } from '../../scripts/emit-packages.ts';

// Both packages are compiled and packed.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const ROOT = join(import.meta.dirname, '../..');
const MODULES = join(ROOT, 'node_modules');

/** A folder with both tarballs installed, and what they depend on linked from this checkout: no registry is asked. */
let scratch: string;
let project: string;

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

function run(program: string, args: readonly string[], cwd: string): Ran {
  // None of the settings of the run that this is a test of.
  const { NODE_OPTIONS, VITEST, ...env } = process.env;
  void [NODE_OPTIONS, VITEST];
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

/** What the tests here stand on. */
function require(isMet: boolean, what: string): void {
  if (!isMet) throw new Error(`not so: ${what}`);
}

const node = (args: readonly string[], cwd = project): Ran => run(process.execPath, args, cwd);

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'signalbox-published-'));
  const modules = join(scratch, 'node_modules');
  for (const published of PUBLISHED) {
    const staged = join(scratch, 'staged', published.name);
    require(stagePackage(published, staged), `${published.name} compiles`);
    const packed = run('npm', ['pack', '--json', '--ignore-scripts'], staged);
    require(packed.status === 0, packed.output);
    const tarball = readdirSync(staged).find((file) => file.endsWith('.tgz')) ?? '';
    const target = join(modules, published.name);
    mkdirSync(target, { recursive: true });
    await extract({ file: join(staged, tarball), cwd: target, strip: 1 });
  }
  for (const name of readdirSync(MODULES)) {
    if (!['signalbox', '@signalbox', '.bin'].includes(name) && !existsSync(join(modules, name)))
      symlinkSync(join(MODULES, name), join(modules, name));
  }
  const made = node([join(modules, 'signalbox/dist/src/cli/main.js'), 'new', 'no-wipe'], scratch);
  require(made.status === 0, made.output);
  project = join(scratch, 'no-wipe');
  // Where npm would have put them: a package brings what lies in its own folder.
  renameSync(modules, join(project, 'node_modules'));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('a package of another contract and a local hook pass their own tests at once', () => {
  const others = join(project, 'others');
  mkdirSync(others);
  const main = join(project, 'node_modules/signalbox/dist/src/cli/main.js');
  const made = node([main, 'new', 'a-filter', '--contract', 'standard-agents'], others);
  require(made.status === 0, made.output);
  mkdirSync(join(others, 'local'));
  const local = node([main, 'new', 'a-local', '--local'], join(others, 'local'));
  require(local.status === 0, local.output);
  const vitest = join(MODULES, 'vitest/vitest.mjs');
  const { output } = node(
    [vitest, 'run', '--testTimeout=120000', '--hookTimeout=120000', '--no-file-parallelism'],
    others,
  );
  rmSync(others, { recursive: true });
  expect(output).toMatch(/2 passed/);
  expect(output).toMatch(/8 passed/);
});

test('its types are right with the types of nothing but the sdk, neither DOM nor Node.js', () => {
  const tsc = join(MODULES, 'typescript/bin/tsc');
  const config = JSON.stringify({
    extends: './tsconfig.json',
    compilerOptions: { skipLibCheck: false },
  });
  writeFileSync(join(project, 'tsconfig.strict.json'), config);
  expect(node([tsc, '--project', 'tsconfig.strict.json'])).toEqual({ status: 0, output: '' });
  rmSync(join(project, 'tsconfig.strict.json'));
});

test('a hook that decides what it may not does not compile', () => {
  const file = join(project, 'hooks/no-wipe/wrong.ts');
  writeFileSync(
    file,
    "import { defineHook, suppress } from '@signalbox/sdk';\nexport default defineHook({ points: ['preInput'], run: () => suppress() });\n",
  );
  const { status, output } = node([join(MODULES, 'typescript/bin/tsc'), '--project', '.']);
  rmSync(file);
  expect(status).not.toBe(0);
  expect(output).toContain('wrong.ts(2,');
});

test('the schemas are there as values and as files, and the library opens', () => {
  const script = `
    import { MANIFEST_SCHEMA, RUNTIME_SCHEMA } from '@signalbox/sdk/schemas';
    import hook from '@signalbox/sdk/schemas/hook.schema.json' with { type: 'json' };
    import { openRuntime } from 'signalbox';
    const runtime = await openRuntime({ config: {}, folder: 'empty', log: { level: 'silent' } });
    console.log(MANIFEST_SCHEMA.title, RUNTIME_SCHEMA.title, hook.title, runtime.inventory().health);
    await runtime.close();`;
  writeFileSync(join(project, 'library.mjs'), script);
  expect(node(['library.mjs'])).toEqual({
    status: 0,
    output: 'hook.json runtime.json hook.json ok\n',
  });
});

test('the console comes with it', () => {
  const files = join(project, 'node_modules/signalbox/dist/src/console/console-files.js');
  const script = `
    import { readFileSync } from 'node:fs';
    import { createConsoleFiles } from ${JSON.stringify(files)};
    const folder = await createConsoleFiles()();
    console.log(readFileSync(folder + '/index.html', 'utf8').includes('/assets/'));`;
  writeFileSync(join(project, 'console.mjs'), script);
  expect(node(['console.mjs'])).toEqual({ status: 0, output: 'true\n' });
});

/** The files that a guide shows: a path in backquotes and a colon, then a block. */
function filesOf(page: string): (readonly [path: string, text: string])[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  return [...text.matchAll(/^`([\w/.-]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(
    ([, path = '', content = '']) => [path, content] as const,
  );
}

test("the author guide's hook passes the author guide's tests, types and checks", () => {
  const files = filesOf('authors.md');
  expect(files.map(([path]) => path)).toHaveLength(5);
  for (const [path, text] of files) {
    // The guide changes the files that "signalbox new" has written.
    expect(existsSync(join(project, path)), path).toBe(true);
    writeFileSync(join(project, path), text);
  }
  const vitest = join(MODULES, 'vitest/vitest.mjs');
  const tested = node([vitest, 'run', '--testTimeout=120000', '--hookTimeout=120000']);
  expect(tested.output).toMatch(/4 passed/);
  expect(node([join(MODULES, 'typescript/bin/tsc'), '--project', '.']).output).toBe('');
  const main = join(project, 'node_modules/signalbox/dist/src/cli/main.js');
  expect(node([main, 'pack', '--check'])).toMatchObject({ status: 0 });
});

/** The lines of shell that a guide shows, block by block. */
function shellOf(page: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  return Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, lines = '']) => lines);
}

test("the author guide's lines of shell go through as a newcomer types them, and leave a tarball", () => {
  const desk = join(scratch, 'desk');
  const modules = join(project, 'node_modules');
  mkdirSync(join(desk, 'node_modules/.bin'), { recursive: true });
  const programs = {
    signalbox: 'signalbox/dist/src/cli/main.js',
    vitest: 'vitest/vitest.mjs',
  };
  for (const [name, file] of Object.entries(programs)) {
    const bin = join(desk, 'node_modules/.bin', name);
    writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${join(modules, file)}" "$@"\n`);
    chmodSync(bin, 0o755);
  }
  // What npm would fetch lies there already, and what watches is to end.
  const around = `set -e
npm() {
  case "$*" in
    install) ln -s "${modules}" node_modules; export PATH="${desk}/node_modules/.bin:$PATH" ;;
    # A busy machine is no reason to fail here.
    test) command npm test -- --testTimeout=120000 --hookTimeout=120000 ;;
    "run dev") command npm run dev -- --once ;;
    "run bench") command npm run bench -- --rounds 2 ;;
    *) command npm "$@" ;;
  esac
}
npx() { command npx --no-install "$@"; }
`;
  const blocks = shellOf('authors.md');
  expect(blocks).toHaveLength(3);
  const script = `${around}${blocks.join('\n')}`;
  const { status, output } = run('sh', ['-c', script], desk);
  expect(output).toMatch(/4 passed/);
  expect(output).toContain('Fit to publish.');
  expect({ status, output }).toMatchObject({ status: 0 });
  expect(existsSync(join(desk, 'no-wipe/no-wipe-0.1.0.tgz'))).toBe(true);
});

test('what the embedding guide shows prints what it says', () => {
  const text = readFileSync(join(ROOT, 'docs/embedding.md'), 'utf8');
  const shown = [...text.matchAll(/^```js\n(.*?)^```\n\n```text\n(.*?)^```$/gms)];
  expect(shown).toHaveLength(2);
  const folder = join(project, 'embedding');
  mkdirSync(join(folder, 'hooks/no-shell'), { recursive: true });
  const manifest = {
    name: 'no-shell',
    points: ['preToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
    timeoutMs: 30_000,
  };
  const hook = `export const run = (point, { toolName }) =>
    toolName === 'shell' ? { action: 'block', reason: 'No shell here' } : { action: 'allow' };`;
  const limits = { loadMs: 60_000, queueMs: 60_000 };
  writeFileSync(join(folder, 'hooks/no-shell/hook.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'hooks/no-shell/index.mjs'), hook);
  writeFileSync(join(folder, 'runtime.json'), JSON.stringify({ limits }));
  for (const [, code = '', output = ''] of shown) {
    writeFileSync(join(folder, 'loop.mjs'), code);
    expect(node(['loop.mjs'], folder)).toEqual({ status: 0, output });
  }
});

test('every page that the guides link to is there', () => {
  for (const page of ['authors.md', 'embedding.md']) {
    const links = readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(
      /\]\((?!https?:)([^)#]+)\)/g,
    );
    for (const [, link = ''] of links)
      expect(existsSync(join(ROOT, 'docs', link)), link).toBe(true);
  }
});

test.each(PUBLISHED.map(({ name }) => name))(
  'what %s exports is what its package.json says',
  async (name) => {
    const { messages } = await publint({
      pkgDir: join(scratch, 'staged', name),
      pack: 'npm',
      strict: true,
    });
    expect(messages).toEqual([]);
  },
);

/** Neither counts for packages that are ESM alone: TypeScript of before `exports`, and `require` of an ES module. */
const OF_OTHERS: readonly string[] = ['NoResolution node10', 'CJSResolvesToESM node16-cjs'];

test.each(PUBLISHED.map(({ name }) => name))(
  'the types of each entry of %s are found, and are those of its code',
  async (name) => {
    const staged = join(scratch, 'staged', name);
    const tarball = readdirSync(staged).find((file) => file.endsWith('.tgz')) ?? '';
    const packed = createPackageFromTarballData(readFileSync(join(staged, tarball)));
    const checked = await checkPackage(packed);
    if (checked.types === false) throw new Error('it brings no types');
    const problems = checked.problems.map((problem) =>
      'resolutionKind' in problem ? `${problem.kind} ${problem.resolutionKind}` : problem.kind,
    );
    expect(problems.filter((problem) => !OF_OTHERS.includes(problem))).toEqual([]);
    const entries = Object.values(checked.entrypoints).filter(({ isWildcard }) => !isWildcard);
    expect(entries.length).toBeGreaterThan(2);
    for (const { subpath, resolutions } of entries) {
      expect(resolutions['node16-esm'].resolution?.fileName, subpath).toMatch(/\.d\.ts$/);
    }
  },
);
