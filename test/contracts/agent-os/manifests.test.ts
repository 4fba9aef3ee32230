import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuntime, type LiveRuntime } from '../../../src/index.ts';
import { openServer } from '../../../src/server/server.ts';

const FILES: Readonly<Record<string, string>> = {
  // Attached by its folder, with its script beside it.
  'hooks/late/hook.yaml': 'priority: 5\nwhen: { sessions: [order], users: [] }\n',
  'hooks/late/index.mjs':
    "export const before_tool_call = ({ args }) => ({ args: { seen: [...(args.seen ?? []), 'late'] } });\n",
  'hooks/early/hook.yaml': 'priority: 10\nscript: main.ts\nwhen:\n  sessions: [order]\n',
  'hooks/early/main.ts':
    "type Event = { args: { seen?: string[] } };\nexport const before_tool_call = ({ args }: Event) => ({ args: { seen: [...(args.seen ?? []), 'early'] } });\n",
  'hooks/tie_a/hook.yaml': 'priority: 7\nwhen: { sessions: [order] }\n',
  'hooks/tie_a/index.mjs':
    "export const before_tool_call = ({ args }) => ({ args: { seen: [...(args.seen ?? []), 'tie_a'] } });\n",
  'hooks/tie_b/hook.yaml': 'priority: 7\nwhen: { sessions: [order] }\n',
  'hooks/tie_b/index.mjs':
    "export const before_tool_call = ({ args }) => ({ args: { seen: [...(args.seen ?? []), 'tie_b'] } });\n",
  'hooks/off/hook.yaml': 'enabled: false\n',
  'hooks/off/index.mjs': "export const before_tool_call = () => ({ deny: 'off' });\n",
  'hooks/conditional/hook.yaml':
    'when:\n  templates: [ngu-agent]\n  agents: [ngu-1, ngu-2]\n  users: [alice]\n  sessions: [sess-42]\n',
  'hooks/conditional/index.mjs': "export const before_tool_call = () => ({ deny: 'matched' });\n",
  'hooks/anchored/hook.yaml': 'config: &a { x: 1 }\nwhen: *a\n',
  'hooks/bomb/hook.yaml': `a: &a [x, x]\nb: &b [*a, *a]\nconfig: [*b, *b]\n`,
  'hooks/tagged/hook.yaml': 'config: !!js/function "x"\n',
  'hooks/misspelt/hook.yaml': 'priority: 1\nenabeld: false\n',
  'hooks/pointless/hook.yaml': 'points: [before_toolcall]\n',
  'hooks/twice/hook.yaml': 'priority: 1\npriority: 2\n',
  'hooks/scriptless/hook.yaml': 'priority: 1\n',
  'hooks/stray/hook.yaml': 'when: { sessions: [stray] }\n',
  'hooks/stray/index.mjs': 'export const before_toolcall = () => ({});\n',
  // Global: the folder says so.
  'config/hooks/dlp.yaml':
    "config:\n  word: secret\nscript: |\n  export const on_token = ({ text, config }) =>\n    text.includes(config.word) ? { text: text.replaceAll(config.word, '***') } : {};\n",
  'config/hooks/dlp_moody.yaml': 'global: false\nscript: |\n  export const on_spawn = () => {};\n',
  // Attached by agents.
  'config/agents/support/agent.yaml':
    'hook_files:\n  - hooks/faq_cache.yaml\n  - hooks/memory.yaml\ntimeouts:\n  hook_secs: 2.5\n',
  'config/agents/support/hooks/faq_cache.yaml': 'when: { users: [alice] }\n',
  'config/agents/support/hooks/faq_cache.js':
    "export function before_user_message({ message }) { if (message === 'faq') return { answer: '42' }; }\n",
  'config/agents/support/hooks/memory.yaml': '{}\n',
  'config/agents/support/hooks/memory.js':
    "export const before_user_message = () => ({ context: 'remembered' });\n",
};

let folder: string;
let runtime: LiveRuntime;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-agent-os-'));
  for (const [place, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await writeFile(join(folder, place), text);
  }
  runtime = await openRuntime({
    config: { limits: { loadMs: 20_000, queueMs: 20_000 } },
    folder,
    log: { level: 'silent' },
  });
}, 120_000);

afterAll(async () => {
  await runtime.close();
  await rm(folder, { recursive: true, force: true });
});

const tool = { toolName: 'echo', args: {} };
const absence = (hook: string): string =>
  runtime.inventory().absent.find((row) => row.hook === hook)?.detail ?? 'it is there';

test('[AO38] priority: higher runs earlier, and ties keep the order of registration', async () => {
  const { payload } = await runtime.fire('preToolUse', tool, { sessionId: 'order' });
  expect(payload.args).toEqual({ seen: ['early', 'tie_a', 'tie_b', 'late'] });
});

test('[AO39] enabled: false is not called', async () => {
  const verdict = await runtime.fire('preToolUse', tool, { sessionId: 'any' });
  expect(verdict.trace.map(({ hook }) => hook)).not.toContain('off');
});

test('[AO41] when: lists are alternatives, fields must all match, an empty field restricts nothing', async () => {
  const fits = {
    sessionId: 'sess-42',
    caller: { userId: 'alice' },
    agent: { id: 'ngu-2', template: 'ngu-agent' },
  };
  expect((await runtime.fire('preToolUse', tool, fits)).reason).toBe('matched');
  const misfits = [
    { ...fits, sessionId: 'sess-43' },
    { ...fits, caller: { userId: 'bob' } },
    { ...fits, agent: { id: 'ngu-3', template: 'ngu-agent' } },
    { ...fits, agent: { id: 'ngu-2', template: 'other' } },
  ];
  for (const context of misfits) {
    expect((await runtime.fire('preToolUse', tool, context)).action).toBe('allow');
  }
});

test('[AO40] [AO43] hooks of config/hooks hold for every process, whatever they say', async () => {
  const { payload } = await runtime.fire('onToken', { text: 'a secret' }, { agent: { id: 'x' } });
  expect(payload.text).toBe('a ***');
  const who = 'ops';
  await expect(runtime.sessionHooks.revoke('s', 'dlp_moody', { who })).rejects.toThrow('global');
});

test('[AO35] hook_files attach hooks to their agent alone', async () => {
  const alice = { caller: { userId: 'alice' } };
  const fire = (id: string) =>
    runtime.fire('preInput', { text: 'faq' }, { ...alice, agent: { id } });
  expect(await fire('support')).toMatchObject({ action: 'result', result: '42' });
  expect((await fire('other')).trace).toEqual([]);
});

test('[AO42] hooks that are attached to an agent are still filtered by when', async () => {
  const verdict = await runtime.fire(
    'preInput',
    { text: 'faq' },
    { caller: { userId: 'bob' }, agent: { id: 'support' } },
  );
  expect(verdict.trace.map(({ hook }) => hook)).toEqual(['memory']);
  expect(verdict.inject).toMatchObject([{ content: 'remembered' }]);
});

test('[AO31] timeouts.hook_secs of an agent is the time limit of the hooks that it attaches', () => {
  const row = runtime.inventory().hooks.find(({ hook }) => hook === 'faq_cache');
  expect(row?.timeoutMs).toBe(2500);
});

test('[AO36] a hook is granted to a session, listed and revoked, from the next call on', async () => {
  const context = { sessionId: 'granted', caller: { userId: 'alice' } };
  const fire = async () =>
    (await runtime.fire('preInput', { text: 'faq' }, context)).trace.map(({ hook }) => hook);
  expect(await fire()).toEqual([]);
  await runtime.sessionHooks.grant('granted', 'faq_cache', { who: 'ops' });
  expect(await fire()).toEqual(['faq_cache']);
  expect(runtime.sessionHooks.list('granted')).toContain('faq_cache');
  expect(runtime.sessionHooks.list('another')).not.toContain('faq_cache');
  await runtime.sessionHooks.revoke('granted', 'faq_cache', { who: 'jane' });
  expect(await fire()).toEqual([]);
  const unknown = runtime.sessionHooks.grant('granted', 'faq_cach', { who: 'ops' });
  await expect(unknown).rejects.toThrow('faq_cach');
  const nobody = runtime.sessionHooks.grant('granted', 'faq_cache', { who: ' ' });
  await expect(nobody).rejects.toMatchObject({ code: 'request_invalid' });
  expect(await fire()).toEqual([]);
  const [target, detail] = ['faq_cache', 'session granted'];
  expect(await runtime.acts.list(2)).toMatchObject([
    { by: 'jane', act: 'session hook detached', target, detail },
    { by: 'ops', act: 'session hook attached', target, detail },
  ]);
});

test('[AO36] hooks of a session over HTTP: listed, granted and revoked', async () => {
  const server = await openServer(runtime, {
    host: '127.0.0.1',
    port: 0,
    payloadBytes: null,
    version: '0',
  });
  const ask = async (method: string, path: string) => {
    const response = await fetch(`${server.url}/v1/sessions/web/hooks${path}`, { method });
    return { status: response.status, body: (await response.json()) as { hooks: string[] } };
  };
  try {
    expect((await ask('GET', '')).body.hooks).not.toContain('memory');
    expect((await ask('PUT', '/memory')).body.hooks).toContain('memory');
    expect((await ask('DELETE', '/memory')).body.hooks).not.toContain('memory');
    expect((await ask('PUT', '/nobody')).status).toBe(404);
    expect((await ask('DELETE', '/dlp')).status).toBe(400);
    expect((await ask('POST', '/memory')).status).toBe(405);
    expect(await runtime.acts.list(2)).toMatchObject([
      { by: 'local', act: 'session hook detached', target: 'memory' },
      { by: 'local', act: 'session hook attached', target: 'memory' },
    ]);
  } finally {
    await server.close();
  }
});

test('without points in the manifest the functions of the script say them', () => {
  const row = runtime.inventory().hooks.find(({ hook }) => hook === 'late');
  expect(row?.points.filter(({ order }) => order > 0).map(({ point }) => point)).toEqual([
    'preToolUse',
  ]);
});

test('YAML with anchors, aliases, tags or a key twice is refused with its line', () => {
  expect(absence('anchored')).toMatch(/hook\.yaml, line 1: anchors \(&\) are not allowed/);
  expect(absence('bomb')).toMatch(/line 1: anchors \(&\) are not allowed/);
  expect(absence('tagged')).toMatch(/line 1: .*tag/i);
  expect(absence('twice')).toMatch(/line 2: /);
});

test('a wrong key, a wrong point and a missing script are named in the words of agent-os', () => {
  expect(absence('misspelt')).toMatch(/line 2, key "enabeld": unknown key .* under "config"/);
  expect(absence('pointless')).toMatch(/"before_toolcall" is no point of agent-os; its points: /);
  expect(absence('scriptless')).toMatch(
    /it has no script: index\.mjs, index\.js, index\.ts is missing/,
  );
  const stray = runtime.inventory().hooks.find(({ hook }) => hook === 'stray');
  expect(stray?.failure?.detail).toContain('"before_toolcall" is no point of agent-os');
});
