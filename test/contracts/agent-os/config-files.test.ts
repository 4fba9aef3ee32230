import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { withBudgetFiles } from '../../../src/agent-os/budget-files.ts';
import { parseYamlManifest } from '../../../src/agent-os/yaml-manifest.ts';
import { readYaml } from '../../../src/agent-os/yaml-text.ts';
import { configFromObject } from '../../../src/config/load-config.ts';
import { openRuntime } from '../../../src/index.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function checkout(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-config-'));
  folders.push(folder);
  for (const [place, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await writeFile(join(folder, place), text);
  }
  return folder;
}

const budgetsIn = async (files: Readonly<Record<string, string>>, budgets: object = {}) => {
  const folder = await checkout(files);
  return withBudgetFiles(configFromObject({ budgets }, folder));
};

test('[AO14] budget.warn_at of an agent is the warn level of its sessions, and budgets.yaml has those of groups and users', async () => {
  const read = await budgetsIn(
    {
      'config/agents/support/agent.yaml': 'budget: { warn_at: 0.5 }\n',
      'config/budgets.yaml':
        'group: { max: 1000, warn_at: 0.7 }\nusers:\n  alice: { max: 10, warn_at: 0.9 }\n',
    },
    { session: { max: 100 } },
  );
  expect(read.session).toMatchObject({ max: 100, warnAt: 0.5 });
  expect(read.group).toMatchObject({ max: 1000, warnAt: 0.7 });
  expect(read.users['alice']).toMatchObject({ max: 10, warnAt: 0.9 });
});

test('what runtime.json says of a user or a group stands', async () => {
  const read = await budgetsIn(
    { 'config/budgets.yaml': 'users: { alice: { max: 10 } }\n' },
    { users: { alice: { max: 99 } } },
  );
  expect(read.users['alice']?.max).toBe(99);
});

test.each([
  ['users: { alice: { maximum: 1 } }\n', 'alice'],
  ['users: &a { alice: { max: 1 } }\n', 'anchors'],
  ['- 1\n', 'must be a map'],
])('a wrong budgets.yaml names the file and what is wrong: %j', async (text, detail) => {
  await expect(budgetsIn({ 'config/budgets.yaml': text })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(new RegExp(`config/budgets\\.yaml.*${detail}`)),
  });
});

test('an agent file that is wrong is told, and the hooks of the others run', async () => {
  const folder = await checkout({
    'config/agents/a/agent.yaml': 'hook_files: [hooks/nowhere.yaml]\n',
    'config/agents/b/agent.yaml': 'hook_files: [hooks/there.yaml]\n',
    'config/agents/b/hooks/there.yaml': '{}\n',
    'config/agents/b/hooks/there.mjs': 'export const on_spawn = () => {};\n',
  });
  const runtime = await openRuntime({ config: {}, folder, log: { level: 'silent' } });
  try {
    const { hooks, absent } = runtime.inventory();
    expect(hooks.map(({ hook }) => hook)).toEqual(['there']);
    expect(absent[0]?.detail).toContain('"hook_files" names "hooks/nowhere.yaml"');
  } finally {
    await runtime.close();
  }
}, 60_000);

test('a package keeps hooks of agent-os as others do, and no script inside of a manifest', async () => {
  const folder = await checkout({
    'guards/package.json': '{"name":"guards","version":"1.0.0"}',
    'guards/hooks/polite/hook.yaml': 'points: [preToolUse]\npriority: 3\n',
    'guards/hooks/polite/index.ts':
      'export const before_tool_call = ({ tool }: { tool: string }) => ({ deny: `${tool}, please` });\n',
    'guards/hooks/inline/hook.yaml': 'script: |\n  export const on_spawn = () => {};\n',
  });
  const runtime = await openRuntime({
    config: {
      packages: [
        { package: './guards', grants: ['reads_tool_io', 'gates_tools', 'injects_context'] },
      ],
      limits: { loadMs: 20_000, queueMs: 20_000 },
    },
    folder,
    log: { level: 'silent' },
  });
  try {
    expect(await runtime.fire('preToolUse', { toolName: 'rm' })).toMatchObject({
      action: 'block',
      reason: 'rm, please',
    });
    const { hooks, absent } = runtime.inventory();
    expect(hooks[0]).toMatchObject({ hook: 'polite', sandbox: 'isolate', priority: -3 });
    expect(absent[0]?.detail).toContain('a package keeps its script in a file');
  } finally {
    await runtime.close();
  }
}, 60_000);

test.each([
  ['deep', `a: ${'['.repeat(200)}${']'.repeat(200)}\n`, 'nested too deep'],
  ['merge', 'a: &a { x: 1 }\nb:\n  <<: *a\n', 'anchors'],
  ['two documents', 'a: 1\n---\nb: 2\n', ''],
  ['half a map', '{ a: 1\n', ''],
])('YAML that is %s is refused', (_name, text, detail) => {
  const read = readYaml(text);
  expect(read).toMatchObject({ ok: false, detail: expect.stringContaining(detail) });
});

const SEED = new URL('../../../../shared/reference/seeds/agent-os.txt', import.meta.url);

describe.skipIf(!existsSync(SEED))(
  'examples of agent-os, character for character (needs ../shared)',
  () => {
    const text = existsSync(SEED) ? readFileSync(SEED, 'utf8') : '';
    /** The lines of the text from one that begins so, until an empty one. */
    const block = (start: string): string => {
      const from = text.indexOf(`\n${start}`) + 1;
      return text.slice(from, text.indexOf('\n\n', from));
    };

    test('[AO38] [AO39] [AO40] [AO41] the composition keys', () => {
      const yaml = readYaml(block('priority: 10'));
      const parsed = parseYamlManifest(yaml.ok && yaml.value, {
        name: 'composed',
        isGlobal: false,
      });
      expect(parsed).toMatchObject({
        ok: true,
        manifest: {
          priority: -10,
          enabled: true,
          global: true,
          when: {
            templates: ['ngu-agent'],
            agents: ['ngu-1'],
            users: ['alice'],
            sessions: ['sess-42'],
          },
        },
      });
    });

    test('[AO45] the ports', () => {
      const yaml = readYaml(block('inputs:'));
      const parsed = parseYamlManifest(yaml.ok && yaml.value, { name: 'rag', isGlobal: false });
      expect(parsed).toMatchObject({
        ok: true,
        manifest: {
          inputs: ['retrieval.query'],
          outputs: ['retrieval.query'],
          ports: { query: { from: 'retrieval.query', default: '', required: false } },
        },
      });
    });

    test('[AO35] the hook_files of an agent', async () => {
      const folder = await checkout({
        'config/agents/ngu/agent.yaml': block('# config/agents/<agent>/agent.yaml'),
        'hooks/faq_cache.yaml': '{}\n',
        'hooks/faq_cache.js': 'export const before_user_message = () => {};\n',
        'hooks/memory.yaml': '{}\n',
        'hooks/memory.js': 'export const before_user_message = () => {};\n',
      });
      const runtime = await openRuntime({ config: {}, folder, log: { level: 'silent' } });
      try {
        expect(runtime.sessionHooks.list('s', { id: 'ngu' })).toEqual(['faq_cache', 'memory']);
        expect(runtime.sessionHooks.list('s', { id: 'other' })).toEqual([]);
      } finally {
        await runtime.close();
      }
    }, 60_000);
  },
);
