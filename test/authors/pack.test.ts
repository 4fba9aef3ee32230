import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseManifest, type Manifest } from '../../sdk/manifest.ts';
import { checkCapabilityUse } from '../../src/publish/capability-use.ts';
import { checkPackage } from '../../src/publish/check-package.ts';
import { checkPackageJson } from '../../src/publish/package-json.ts';
import { checkTarballFiles } from '../../src/publish/tarball-files.ts';
import { openWorkplace } from '../cli/command-line.ts';

vi.setConfig({ testTimeout: 180_000 });

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-pack-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function manifestOf(capabilities: readonly string[], points = ['preToolUse']): Manifest {
  const parsed = parseManifest({ name: 'x', points, capabilities });
  if (!parsed.ok) throw new Error(parsed.detail);
  return parsed.manifest;
}

const uses = (capabilities: readonly string[], code: string): string[] =>
  checkCapabilityUse(manifestOf(capabilities), code, 'hooks/x/hook.json').map(
    ({ level, text }) => `${level}: ${text}`,
  );

test.each<[string, string[], string, string[]]>([
  ['what is used and declared', ['store:read'], 'await ctx.store.get("a", "b")', []],
  ['a bridge by another way', ['store:read'], 'const { store } = ctx; store["get"]("a")', []],
  [
    'a bridge that is never used',
    ['store:write'],
    'ctx.log("x")',
    ['warning: declares "store:write" and never uses it'],
  ],
  [
    'a bridge that is not declared',
    [],
    'ctx.store.put("a", "b", 1)',
    ['error: calls ctx.store.put or delete and does not declare "store:write"'],
  ],
  [
    'a request that is not declared',
    [],
    'ctx.fetch("https://a.b")',
    ['error: calls ctx.fetch and does not declare "net:fetch"'],
  ],
  [
    'a gate that only allows',
    ['gates_tools'],
    'return { action: "allow" }',
    ['warning: declares "gates_tools" and only ever allows'],
  ],
  ['a gate that acts', ['gates_tools'], 'return block("no")', []],
  [
    'content of no point of its own',
    ['reads_output'],
    '1',
    ['warning: declares "reads_output", and none of its points has such content'],
  ],
  [
    'content that it may not read',
    ['gates_tools'],
    'if (payload.args.x) block()',
    ['error: reads payload.args at preToolUse, which "reads_tool_io" alone delivers'],
  ],
])('%s is told', (_, capabilities, code, findings) => {
  expect(uses(capabilities, code)).toEqual(findings);
});

const usesOf = (manifest: object, code: string, place = 'hooks/x/hook.json'): string[] => {
  const parsed = parseManifest({ name: 'x', points: ['preToolUse'], ...manifest });
  if (!parsed.ok) throw new Error(parsed.detail);
  return checkCapabilityUse(parsed.manifest, code, place).map(
    ({ level, text }) => `${level}: ${text}`,
  );
};

test.each<[string, object, string, string[]]>([
  [
    'Amplifier: an injection and an event that are not declared',
    { contract: 'amplifier' },
    'return { action: "inject_context", context_injection: text }; coordinator.hooks.emit("a:b", {})',
    [
      'error: calls hooks.emit and does not declare "emits:events"',
      'error: calls context_injection and does not declare "injects_context"',
    ],
  ],
  [
    'Amplifier: a gate that only looks on',
    { contract: 'amplifier', capabilities: ['gates_tools', 'injects_context'] },
    'return { action: "continue" }',
    [
      'warning: declares "injects_context" and never uses it',
      'warning: declares "gates_tools" and only ever allows',
    ],
  ],
  [
    'agent-os: context that is not declared',
    { contract: 'agent-os', points: ['preInput'] },
    'return { context: "x" }',
    ['error: calls the outcome field context and does not declare "injects_context"'],
  ],
  [
    'Standard Agents: messages and agents that are not declared',
    { contract: 'standard-agents', points: ['postToolUse'], capabilities: ['reads_tool_io'] },
    'await state.injectMessage({ content: "x" }); state.execution.messageHistory.length',
    [
      'error: calls state.injectMessage and does not declare "injects_context"',
      'error: calls state.loadAgent or execution.messageHistory and does not declare "reads_context"',
    ],
  ],
  [
    'Standard Agents: what its state alone reads is no content too much',
    {
      contract: 'standard-agents',
      points: ['postToolUse'],
      capabilities: ['reads_tool_io', 'reads_context'],
    },
    'await state.loadAgent("a")',
    [],
  ],
  [
    'harness: a gate that acts, and one for content of another kind',
    { contract: 'harness', capabilities: ['gates_tools', 'reads_output'] },
    'return { authorize: false }',
    ['warning: declares "reads_output", and none of its points has such content'],
  ],
])('%s is told', (_, manifest, code, findings) => {
  expect(usesOf(manifest, code)).toEqual(findings);
});

test('a YAML manifest has what its points give: nothing of that is too much', () => {
  const manifest = { contract: 'agent-os', capabilities: ['gates_tools', 'injects_context'] };
  expect(usesOf(manifest, '1', 'hooks/x/hook.yaml')).toEqual([]);
});

test('secrets and tests in the tarball are told, without a word of the secret', async () => {
  const files: Record<string, string> = {
    'hooks/x/index.mjs': 'export const run = () => ({ action: "allow" });',
    'hooks/x/key.mjs': `const token = "${'ghp_'}${'a'.repeat(36)}";`,
    '.env': 'A=1',
    'test/x.test.mjs': '',
    'certs/server.pem': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const listed = Object.keys(files).map((path) => ({ path, size: 10 }));
  const findings = await checkTarballFiles(folder, listed);
  expect(findings.map(({ level, place, text }) => `${level} ${place} ${text}`)).toEqual([
    'error hooks/x/key.mjs holds what looks like a GitHub token',
    'error .env is a file of secrets',
    'warning test/x.test.mjs is a test: list what is published under "files"',
    'error certs/server.pem is a key',
  ]);
  expect(JSON.stringify(findings)).not.toContain('aaaa');
});

test('a tarball that is too heavy is told', async () => {
  const [finding] = await checkTarballFiles(folder, [{ path: 'big.bin', size: 20 * 1024 * 1024 }]);
  expect(finding).toMatchObject({
    level: 'error',
    text: expect.stringContaining('20.0 MB') as string,
  });
});

test('a package.json that npm or users have no use for is told', () => {
  const texts = checkPackageJson({
    name: 'Bad Name',
    version: 'one',
    private: true,
    scripts: { postinstall: 'node x' },
    dependencies: { a: 'file:../a' },
  }).map(({ text }) => text.replace(/:.*/s, ''));
  expect(texts).toEqual([
    '"name" must be lower-case letters, digits and "-", with or without a scope',
    '"version" must be a version such as "1.0.0"',
    '"license" is missing',
    '"type" should be "module"',
    '"files" is missing',
    '"private" is true',
    '"scripts.postinstall" runs nowhere',
    '"dependencies.a" is a path of this machine',
  ]);
});

test('a hook that is not published, a fixture that differs and one with an unknown field are told', async () => {
  const root = join(folder, 'package');
  const hook = join(root, 'hooks/x');
  mkdirSync(join(hook, 'fixtures'), { recursive: true });
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  write(
    'package.json',
    '{"name": "x", "version": "1.0.0", "license": "MIT", "type": "module", "files": ["hooks"]}',
  );
  write(
    'hooks/x/hook.json',
    JSON.stringify({
      name: 'x',
      points: ['preInput'],
      capabilities: ['reads_input', 'gates_input'],
    }),
  );
  write('hooks/x/index.mjs', 'export const run = () => ({ action: "block", reason: "no" });');
  write(
    'hooks/x/fixtures/a.json',
    '{"point": "preInput", "payload": {"text": "a"}, "expect": {"action": "allow"}}',
  );
  const listed = [{ path: 'hooks/x/hook.json', size: 1 }];
  const findings = await checkPackage(root, async () => listed);
  expect(findings.map(({ place, text }) => `${place}: ${text}`)).toEqual([
    'hooks/x/index.mjs: is not published: add it to "files" of package.json',
    'hooks/x/fixtures/a.json: action is "block", expected "allow"',
  ]);
  write('hooks/x/fixtures/a.json', '{"point": "preInput", "payload": {}, "expects": {}}');
  const [, unknown] = await checkPackage(root, async () => listed);
  expect(unknown?.text).toMatch(/fixture_invalid: .*"a.json"/);
});

test('pack writes a tarball only when nothing stands against it', async () => {
  const place = await openWorkplace({
    'package.json': {
      name: 'x',
      version: '1.0.0',
      license: 'MIT',
      type: 'module',
      files: ['hooks'],
    },
    'hooks/x/hook.json': {
      name: 'x',
      timeoutMs: 20_000,
      points: ['preInput'],
      capabilities: ['reads_input', 'store:write', 'gates_input'],
    },
    'hooks/x/index.mjs':
      'export const run = (point, { text }) => text === "no" ? { action: "block" } : { action: "allow" };',
    'hooks/x/fixtures/a.json': {
      point: 'preInput',
      payload: { text: 'a' },
      expect: { action: 'allow' },
    },
  });
  try {
    const fit = await place.run(['pack']);
    expect(fit.code).toBe(0);
    expect(fit.out).toContain('declares "store:write" and never uses it');
    expect(existsSync(join(place.folder, 'x-1.0.0.tgz'))).toBe(true);
    await place.write('hooks/x/index.mjs', 'import "node:fs"; export const run = () => 1;');
    rmSync(join(place.folder, 'x-1.0.0.tgz'));
    const unfit = await place.run(['pack']);
    expect(unfit.code).toBe(1);
    expect(unfit.out).toContain('node:fs');
    expect(existsSync(join(place.folder, 'x-1.0.0.tgz'))).toBe(false);
  } finally {
    await place.remove();
  }
});
