import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuntime } from '../../src/index.ts';
import { packed } from '../packages/archives.ts';
import { hookAt, hookOf, type Tree } from '../packages/workspace.ts';
import { makeProject, type Project } from './project.ts';
import { freePort, openRegistry, type Identity, type Registry } from './registry.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

let registry: Registry;

const CALM = { timeoutMs: 20_000 };

/** A package whose main module is its name. */
const plain = (name: string, more: object = {}, files: Tree = {}): Tree => ({
  'package.json': { name, version: '1.0.0', main: 'main.js', ...more },
  'main.js': `module.exports = ${JSON.stringify(name)};`,
  ...files,
});

const OPTIONAL = ['extra', 'elsewhere', 'native', 'broken', 'nowhere', 'deeply-native', 'far'];

beforeAll(async () => {
  forgetNpm();
  registry = await openRegistry();
  // What a registry says of platforms it has from npm alone.
  await registry.publish(plain('elsewhere', { os: ['plan9'] }));
  await registry.publish(plain('far', { os: [process.platform], cpu: [`!${process.arch}`] }));
  const others: readonly Tree[] = [
    plain('deep'),
    plain('extra', { dependencies: { deep: '1' } }),
    plain('native', {}, { 'binding.gyp': '{}' }),
    plain('deeply-native', { dependencies: { deeper: '1', native: '1' } }),
    plain('deeper'),
    plain('broken', { dependencies: { deeper: '1', 'no-such-package': '1' } }),
    plain(
      'tries',
      { optionalDependencies: { elsewhere: '1', deep: '1' } },
      {
        'main.js':
          'let found = []; for (const load of [() => require("elsewhere"), () => require("deep")]) { try { found.push(load()); } catch (error) { found.push(error.code); } } module.exports = found.join("+");',
      },
    ),
    {
      'package.json': {
        name: 'lucky',
        version: '1.0.0',
        dependencies: { tries: '1', extra: '^9' },
        optionalDependencies: Object.fromEntries(OPTIONAL.map((name) => [name, '1'])),
      },
      ...hookAt(
        'lucky',
        { capabilities: ['gates_tools'] },
        [
          `import tries from 'tries';`,
          `const or = (loading) => loading.then((module) => module.default, (error) => error.code === 'MODULE_NOT_FOUND' ? 'no' : error.message);`,
          `export const run = async () => ({ action: 'block', reason: [tries, ${OPTIONAL.map((name) => `await or(import('${name}'))`).join(', ')}].join(' ') });`,
        ].join('\n'),
      ),
    },
    {
      'package.json': {
        name: 'needy',
        version: '1.0.0',
        optionalDependencies: { elsewhere: '1' },
      },
      ...hookAt('needy', {}, `import word from 'elsewhere'; export const run = () => word;`),
    },
    {
      'package.json': {
        name: 'unlucky',
        version: '1.0.0',
        optionalDependencies: { '@down/extra': '1' },
      },
      ...hookAt('unlucky'),
    },
  ];
  await Promise.all(
    others.map((tree) => registry.publishArchive(tree['package.json'] as Identity, packed(tree))),
  );
}, SLOW_MS);

afterAll(() => registry.close());

async function reasonIn(project: Project): Promise<string | undefined> {
  const runtime = await openRuntime({
    config: join(project.folder, 'runtime.json'),
    log: { destination: new PassThrough() },
  });
  try {
    const context = { sessionId: 's' };
    return (await runtime.fire('preToolUse', { toolName: 'shell', args: {} }, context)).reason;
  } finally {
    await runtime.close();
  }
}

test(
  'optional packages come where they are to be had and fit, and what is left out is no error until it is imported',
  async () => {
    const project = await makeProject(registry.npmrc, {
      'runtime.json': { limits: { loadMs: 20_000 }, hooks: { overrides: { lucky: CALM } } },
    });
    await project.add('lucky');
    expect(Object.keys((await project.lock()).packages['lucky']?.dependencies ?? {})).toEqual([
      'node_modules/deep',
      'node_modules/extra',
      'node_modules/tries',
    ]);
    const reason = 'MODULE_NOT_FOUND+deep extra no no no no no no';
    expect(await reasonIn(project)).toBe(reason);
    const { bundle } = (await project.lock()).packages['lucky'] ?? {};
    await rm(join(project.folder, 'packages-cache'), { recursive: true });
    expect((await project.ci()).json).toEqual([{ packages: 1, installed: 1 }]);
    expect((await project.lock()).packages['lucky']?.bundle).toBe(bundle);
    expect(hookOf(await project.catalog(), 'lucky').failure).toBeUndefined();
  },
  SLOW_MS,
);

test(
  'a hook that cannot load without an optional package is refused where it does not fit',
  async () => {
    const project = await makeProject(registry.npmrc);
    const before = await project.state();
    await expect(project.add('needy')).rejects.toMatchObject({
      code: 'package_bundle',
      message: expect.stringContaining('"elsewhere", which is not installed') as string,
    });
    expect(await project.state()).toEqual(before);
  },
  SLOW_MS,
);

test(
  'a registry that cannot be reached is an error for an optional package too: what is locked hangs on no bad moment',
  async () => {
    const npmrc = `${registry.npmrc}@down:registry=http://127.0.0.1:${await freePort()}/\n`;
    const project = await makeProject(npmrc);
    const before = await project.state();
    await expect(project.add('unlucky')).rejects.toMatchObject({
      code: 'package_fetch',
      message: expect.stringContaining('connection refused') as string,
    });
    expect(await project.state()).toEqual(before);
  },
  SLOW_MS,
);
