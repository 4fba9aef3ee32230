import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuntime, type LiveRuntime } from '../../../src/index.ts';

/** A hook as its author has it, types included; nothing is installed beside it. */
const source = (id: string): string => `import { defineHook } from '@standardagents/spec';

interface Note { readonly id: string }
const note: Note = { id: '${id}' };

export default defineHook({
  hook: 'after_system_message',
  id: '${id}',
  execute: async (state: { threadId: string }, systemMessage: string): Promise<string> =>
    \`\${systemMessage} \${note.id}@\${state.threadId}\`,
});
`;

const manifest = (name: string): string =>
  JSON.stringify({
    name,
    contract: 'standard-agents',
    points: ['preSystemPrompt'],
    capabilities: ['reads_context', 'gates_context'],
  });

let folder: string;
let runtime: LiveRuntime;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-standard-agents-'));
  const files = {
    'hooks/own_hook/hook.json': manifest('own_hook'),
    'hooks/own_hook/index.ts': source('own_hook'),
    'acme/package.json': '{"name":"acme","version":"1.0.0","type":"module"}',
    'acme/hooks/packaged_hook/hook.json': manifest('packaged_hook'),
    'acme/hooks/packaged_hook/index.ts': source('packaged_hook'),
    'acme/hooks/other_import/hook.json': manifest('other_import'),
    'acme/hooks/other_import/index.ts':
      "import { defineTool } from '@standardagents/spec/tools';\nexport default defineTool;\n",
  };
  for (const [place, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await writeFile(join(folder, place), text);
  }
  runtime = await openRuntime({
    config: {
      packages: [{ package: './acme', grants: ['reads_context', 'gates_context'] }],
      limits: { loadMs: 20_000, queueMs: 20_000 },
      hooks: { failPolicy: { other_import: 'open' } },
    },
    folder,
    log: { level: 'silent' },
  });
}, 120_000);

afterAll(async () => {
  await runtime.close();
  await rm(folder, { recursive: true, force: true });
});

test('[SA2] [SA43c] a TypeScript file that imports @standardagents/spec runs unchanged, in a worker and in an isolate', async () => {
  const { payload } = await runtime.fire(
    'preSystemPrompt',
    { systemPrompt: 'Help.' },
    { sessionId: 's' },
  );
  expect(payload.systemPrompt).toBe('Help. own_hook@s packaged_hook@s');
});

test('an import of another module of that name is told as what it is: not there', () => {
  const row = runtime.inventory().hooks.find(({ hook }) => hook === 'other_import');
  expect(row?.failure?.detail).toContain('@standardagents/spec/tools');
});
