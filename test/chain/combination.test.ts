import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACTION_NAMES, type Decision } from '../../sdk/decisions.ts';
import { POINT_NAMES, POINTS } from '../../sdk/points.ts';
import {
  answering,
  failing,
  runHooks,
  samplePayload,
  scripted,
  type ScriptedHook,
} from './hooks.ts';

const CALL = { toolName: 'Bash', args: { steps: [] }, isDelegated: false, planModeActive: false };

/** A hook of a random chain, and the action it takes. */
interface Planned {
  readonly action: Decision['action'];
  readonly hook: ScriptedHook;
}

function plan(kind: Decision['action'] | 'failClosed' | 'failOpen', index: number): Planned {
  const name = `h${index}`;
  switch (kind) {
    case 'failClosed':
      return { action: 'block', hook: failing(name) };
    case 'failOpen':
      return { action: 'allow', hook: failing(name, { failPolicy: 'open' }) };
    case 'modify': {
      const append = (payload: Readonly<Record<string, unknown>>): Decision => {
        const { steps } = payload['args'] as { steps: string[] };
        return { action: 'modify', payload: { args: { steps: [...steps, name] } } };
      };
      return { action: 'modify', hook: scripted(name, append) };
    }
    case 'allow':
      return { action: 'allow', hook: answering(name, { action: 'allow' }) };
    case 'block':
      return { action: 'block', hook: answering(name, { action: 'block', reason: name }) };
    case 'ask':
      return { action: 'ask', hook: answering(name, { action: 'ask', reason: name }) };
    case 'result':
      return { action: 'result', hook: answering(name, { action: 'result', result: name }) };
    case 'rework':
      return { action: 'rework', hook: answering(name, { action: 'rework', feedback: name }) };
    case 'suppress':
      return { action: 'allow', hook: answering(name, { action: 'allow' }) };
  }
}

const CHAIN = fc
  .array(fc.constantFrom(...ACTION_NAMES, 'failClosed' as const, 'failOpen' as const), {
    maxLength: 8,
  })
  .map((kinds) => kinds.map(plan));

test('any chain follows precedence, keeps every change up to the block, and names what did not run', async () => {
  await fc.assert(
    fc.asyncProperty(CHAIN, async (planned) => {
      const end = planned.findIndex(({ action }) => action === 'block');
      const ran = end === -1 ? planned : planned.slice(0, end + 1);
      const strongest =
        ACTION_NAMES.find((action) => ran.some((item) => item.action === action)) ?? 'allow';
      const leader =
        strongest === 'allow' ? undefined : ran.find(({ action }) => action === strongest);
      const steps = ran.filter(({ action }) => action === 'modify').map(({ hook }) => hook.name);

      const result = await runHooks(
        'preToolUse',
        CALL,
        planned.map(({ hook }) => hook),
      );

      expect(result.action).toBe(strongest);
      expect(result.hook).toBe(leader?.hook.name);
      expect(result.payload['args']).toEqual({ steps });
      expect(result.isModified).toBe(steps.length > 0);
      expect(result.trace.map(({ hook }) => hook)).toEqual(ran.map(({ hook }) => hook.name));
      expect(result.notRun).toEqual(planned.slice(ran.length).map(({ hook }) => hook.name));
    }),
    { numRuns: 300 },
  );
});

test('equal chains give equal results', async () => {
  await fc.assert(
    fc.asyncProperty(CHAIN, async (planned) => {
      const hooks = planned.map(({ hook }) => hook);
      const [a, b] = await Promise.all([
        runHooks('preToolUse', CALL, hooks),
        runHooks('preToolUse', CALL, hooks),
      ]);
      expect(a).toEqual(b);
    }),
  );
});

test.each(POINT_NAMES)(
  'at %s a closed failure does what the row says and nothing illegal comes out',
  async (point) => {
    const row = POINTS[point];
    const result = await runHooks(point, samplePayload(point), [failing('guard')]);
    const expected = {
      block: 'block',
      suppress: 'suppress',
      replace: 'modify',
      record: 'allow',
    } as const;
    expect(result.action).toBe(expected[row.closedFailure]);
    expect(row.decisions).toContain(result.action);
    expect(result.trace).toMatchObject([{ hook: 'guard', code: 'thrown' }]);
  },
);

test.each(POINT_NAMES)('at %s a decision that is not legal is a failure', async (point) => {
  const full: Record<Decision['action'], Decision> = {
    allow: { action: 'allow' },
    block: { action: 'block', reason: 'r' },
    ask: { action: 'ask', reason: 'r' },
    modify: { action: 'modify', payload: {} },
    result: { action: 'result', result: 1 },
    rework: { action: 'rework', feedback: 'f' },
    suppress: { action: 'suppress' },
  };
  for (const action of ACTION_NAMES) {
    const result = await runHooks(point, samplePayload(point), [answering('a', full[action])]);
    const isLegal = POINTS[point].decisions.includes(action);
    expect(result.trace[0]?.code).toBe(isLegal ? undefined : 'invalid_decision');
    if (isLegal) expect(result.action).toBe(action);
  }
});
