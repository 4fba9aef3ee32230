import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Verdict } from '../../src/index.ts';
import { openTemporary, type HookDraft, type TemporaryRuntime } from './temporary-runtime.ts';

const HOOKS = 5;
const SCENES = ['together', 'apart'] as const;
const DEEDS = ['allow', 'block', 'modify', 'throw', 'slow', 'wait', 'log', 'wrong', 'ask'] as const;
type Deed = (typeof DEEDS)[number] | 'count' | 'loop';

/** Does what the call says for it, and counts its runs. */
const hook = (at: number): string => `
  let runs = 0;
  export default {
    async run(point, { args }, ctx) {
      runs += 1;
      const deed = JSON.parse(args.command)[${at}];
      switch (deed) {
        case 'block': return { action: 'block', reason: 'no from ${at}' };
        case 'modify': return { action: 'modify', payload: { args: { ...args, note: (args.note ?? '') + '${at}' } } };
        case 'throw': throw new Error('oh');
        case 'slow': for (const end = Date.now() + 3; Date.now() < end;); break;
        case 'wait': await new Promise((go) => setTimeout(go, 1)); break;
        case 'log': ctx.log('here'); break;
        case 'ask': setTimeout(() => {}, 0); break;
        case 'wrong': return { action: 'nope' };
        case 'count': return { action: 'block', reason: runs + ' runs' };
        case 'loop': for (;;);
      }
      return { action: 'allow' };
    },
  };`;

let temporary: TemporaryRuntime;

beforeAll(async () => {
  const drafts = SCENES.flatMap((scene) =>
    Array.from({ length: HOOKS }, (_, at): [string, HookDraft] => [
      `${scene}${at}`,
      {
        module: hook(at),
        scene,
        home: scene === 'together' ? 'together' : `apart-${at}`,
        manifest: { timeoutMs: 2000, failPolicy: at % 2 === 0 ? 'closed' : 'open', priority: at },
      },
    ]),
  );
  temporary = await openTemporary(Object.fromEntries(drafts));
}, 120_000);
afterAll(() => temporary.remove());

async function fire(scene: string, deeds: readonly Deed[]): Promise<Verdict> {
  const args = { command: JSON.stringify(deeds) };
  return temporary.runtime.fire('preToolUse', { toolName: 'Bash', args }, { sessionId: scene });
}

/** What a caller and the records see, without the names, which differ by scene. */
function seen(scene: string, { action, reason, code, payload, trace, notRun }: Verdict): unknown {
  const bare = (name: string): string => name.replace(scene, '');
  return {
    action,
    reason: reason?.replaceAll(scene, ''),
    code,
    args: (payload as { readonly args: unknown }).args,
    trace: trace.map((entry) => [bare(entry.hook), entry.action, entry.code]),
    notRun: notRun.map(bare),
  };
}

async function runsOf(scene: string): Promise<(string | undefined)[]> {
  const counts: (string | undefined)[] = [];
  for (let at = 0; at < HOOKS; at += 1) {
    const deeds = Array.from({ length: HOOKS }, (_, index) => (index === at ? 'count' : 'allow'));
    counts.push((await fire(scene, deeds)).reason);
  }
  return counts;
}

test('hooks of one package that go ahead decide, and run as often, as hooks of as many packages', async () => {
  const deeds = fc.array(
    fc.oneof({ weight: 3, arbitrary: fc.constant('allow' as const) }, fc.constantFrom(...DEEDS)),
    { minLength: HOOKS, maxLength: HOOKS },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(deeds, { minLength: 1, maxLength: 4 }), async (calls) => {
      for (const call of calls) {
        const [together, apart] = await Promise.all(
          SCENES.map(async (scene) => seen(scene, await fire(scene, call))),
        );
        expect(together).toEqual(apart);
      }
      expect(await runsOf('together')).toEqual(await runsOf('apart'));
    }),
    { numRuns: 25, seed: 20_261_130 },
  );
}, 120_000);

test('a hook that never ends is told from those before it, and none behind it runs', async () => {
  await fire('together', ['allow', 'allow', 'allow', 'allow', 'allow']);
  const verdict = await fire('together', ['allow', 'log', 'loop', 'block', 'block']);
  expect(seen('together', verdict)).toMatchObject({
    action: 'block',
    code: 'timeout',
    trace: [
      ['0', 'allow', undefined],
      ['1', 'allow', undefined],
      ['2', 'block', 'timeout'],
    ],
    notRun: ['3', '4'],
  });
  const open = await fire('together', ['allow', 'loop', 'allow', 'allow', 'block']);
  expect(seen('together', open)).toMatchObject({
    action: 'block',
    reason: 'no from 4',
    trace: [
      ['0', 'allow', undefined],
      ['1', 'allow', 'timeout'],
      ['2', 'allow', undefined],
      ['3', 'allow', undefined],
      ['4', 'block', undefined],
    ],
  });
});

test('a caller who gives up ends the whole line, and the next call is served', async () => {
  await fire('together', ['allow', 'allow', 'allow', 'allow', 'allow']);
  const signal = AbortSignal.timeout(100);
  const verdict = await temporary.runtime.fire(
    'preToolUse',
    { toolName: 'Bash', args: { command: '["allow","allow","loop","block","block"]' } },
    { sessionId: 'together', signal },
  );
  expect(seen('together', verdict)).toMatchObject({ action: 'block', code: 'cancelled' });
  const next = await fire('together', ['allow', 'allow', 'allow', 'allow', 'allow']);
  expect(next.trace.map(({ code }) => code)).toEqual(Array(HOOKS).fill(undefined));
});
