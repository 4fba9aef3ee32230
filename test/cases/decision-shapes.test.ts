import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime, Verdict } from '../../src/index.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

/** Answers that are no decision, each of a hook of its own. */
const ANSWERS = {
  approve: '({ approve: false, reason: "no TODOs" })',
  deny: '({ action: "deny", reason: "x" })',
  empty: '({})',
  nested: '({ action: { type: "block" } })',
  undefined: 'undefined',
  null: 'null',
  text: '"block"',
  list: '[{ action: "block" }]',
  getter: '({ get action() { return "allow"; }, get extra() { return 1; } })',
  promise: 'Promise.resolve("allow")',
  snake: '({ hookSpecificOutput: { permissionDecision: "deny" } })',
};

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;

beforeAll(async () => {
  temporary = await openTemporary({
    ...Object.fromEntries(
      Object.entries(ANSWERS).map(([name, run]) => [`closed-${name}`, { scene: name, run }]),
    ),
    ...Object.fromEntries(
      Object.entries(ANSWERS).map(([name, run]) => [
        `open-${name}`,
        { scene: `open ${name}`, run, manifest: { failPolicy: 'open' } },
      ]),
    ),
    thrower: { scene: 'throw', run: '{ throw new Error("denied"); }' },
    'isolate-exit': { scene: 'exit in an isolate', run: 'process.exit(1)' },
    'local-exit': { scene: 'exit in a worker', home: 'local', run: 'process.exit(1)' },
    'no-hook': { scene: 'no hook', module: 'export const somethingElse = 1;' },
  });
  ({ runtime } = temporary);
});

afterAll(() => temporary.remove());

function call(scene: string): Promise<Verdict<'preToolUse'>> {
  const payload = {
    toolName: 'Write',
    args: { file_path: '/r/x.ts', content: '// TODO: implement' },
  };
  return runtime.fire('preToolUse', payload, { sessionId: scene });
}

test.each(Object.keys(ANSWERS))(
  '[A04] the answer "%s" is a failure: a closed hook blocks, never a guess',
  async (name) => {
    expect(await call(name)).toMatchObject({
      action: 'block',
      code: 'invalid_decision',
      reason: `Hook "closed-${name}" failed (fail-closed)`,
    });
    expect(await call(`open ${name}`)).toMatchObject({
      action: 'allow',
      trace: [{ code: 'invalid_decision' }],
    });
  },
);

test('[A01] an answer without an action is logged and recorded as no decision', async () => {
  await call('approve');
  const { records } = await runtime.records.query({ session: 'approve' });
  expect(records[0]).toMatchObject({
    action: 'block',
    code: 'invalid_decision',
    reason: expect.stringContaining('no') as string,
  });
  expect(temporary.logged()).toContainEqual(
    expect.objectContaining({
      event: 'guardrail_decision',
      hook: 'closed-approve',
      code: 'invalid_decision',
    }),
  );
});

test('[A03] a wrong word is a failure whose message lists the legal ones, and a test of it says so', async () => {
  const report = await runtime.test({
    point: 'preToolUse',
    hookName: 'closed-deny',
    payload: { toolName: 'Bash' },
  });
  expect(report).toMatchObject({
    action: 'block',
    code: 'invalid_decision',
    hooks: [{ code: 'invalid_decision' }],
  });
  await call('deny');
  const { records } = await runtime.records.query({ session: 'deny' });
  expect(records[0]?.reason).toContain('legal here: allow, block, ask, modify, result, rework');
});

test.each(['throw', 'exit in an isolate', 'exit in a worker'])(
  '[A09] a closed hook that ends with a %s blocks',
  async (scene) => {
    expect(await call(scene)).toMatchObject({
      action: 'block',
      reason: expect.stringMatching(/^Hook ".*" failed \(fail-closed\)$/) as string,
    });
  },
);

test('[A11] a module that exports no hook is listed as failing and blocks; the chain does not run without it', async () => {
  const row = runtime.inventory().hooks.find(({ hook }) => hook === 'no-hook');
  expect(row).toMatchObject({ state: 'failing', failure: { code: 'load_error' } });
  expect(await call('no hook')).toMatchObject({ action: 'block', code: 'load_error' });
});
