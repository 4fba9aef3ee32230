import { rm } from 'node:fs/promises';
import type { Point } from '../../sdk/points.ts';
import { CALL, LOOK, writeFolder, type BenchHook } from './bench-runtime.ts';
import { interleave, ratioOf, timed } from './harness.ts';
import { report, versus } from './report.ts';

// What does the shape of another system cost over the native one, for a hook that looks and lets pass?
const FOUND = (args: string): string => `String(${args}?.command ?? '').includes('mkfs')`;
const RESULT = {
  toolName: 'shell',
  args: CALL.args,
  toolCallId: 'call-000001',
  result: 'x'.repeat(200),
};
const AFTER = `export const run = (point, payload) =>
  payload.result.includes('mkfs') ? { action: 'block', reason: 'no' } : { action: 'allow' };`;

/** Hooks that do the same, each bound to the session of its name. */
const SHAPES: readonly (BenchHook & { readonly point: Point })[] = [
  { name: 'native', point: 'preToolUse', module: LOOK },
  {
    name: 'amplifier',
    point: 'preToolUse',
    contract: 'amplifier',
    module: `export function mount({ hooks }) { hooks.register('tool:pre', (event, data) =>
      (${FOUND('data.tool_input')} ? { action: 'deny', reason: 'no' } : { action: 'continue' })); }`,
  },
  {
    name: 'agent-os',
    point: 'preToolUse',
    contract: 'agent-os',
    module: `export const before_tool_call = ({ args }) => (${FOUND('args')} ? { deny: 'no' } : {});`,
  },
  {
    name: 'harness',
    point: 'preToolUse',
    contract: 'harness',
    module: `export default { beforeToolExecution: ({ input }) => ({ authorize: !${FOUND('input')} }) };`,
  },
  { name: 'native-after', point: 'postToolUse', module: AFTER },
  {
    name: 'standard_agents',
    point: 'postToolUse',
    contract: 'standard-agents',
    module: `import { defineHook } from '@standardagents/spec';
      export default defineHook({ hook: 'after_tool_call_success', id: 'standard_agents',
        execute: (state, call, result) => (result.result.includes('mkfs') ? { ...result, result: 'no' } : null) });`,
  },
];

const ends: (() => unknown)[] = [];
try {
  const bench = await writeFolder(
    SHAPES.map(({ name, point, ...hook }) => ({
      name,
      ...hook,
      points: [point],
      when: { sessions: [name] },
    })),
  );
  ends.push(() => rm(bench.folder, { recursive: true, force: true }));
  const runtime = await bench.open();
  ends.push(() => runtime.close());
  const subjects = SHAPES.map(({ name, point }) => {
    const payload = point === 'preToolUse' ? CALL : RESULT;
    const context = { sessionId: name };
    return timed(name, () => runtime.fire(point, payload, context));
  });
  const timings = await interleave(subjects, { calls: 500, rounds: 9, warmUp: 8000 });
  const named = new Map(timings.map((timing) => [timing.name, timing]));
  report(
    SHAPES.filter(({ contract }) => contract !== undefined).map(({ name, point }) => {
      const subject = named.get(name);
      const baseline = named.get(point === 'preToolUse' ? 'native' : 'native-after');
      if (subject === undefined || baseline === undefined) throw new Error('Not measured');
      const timing = { subject, baseline, ratio: ratioOf(subject, baseline) };
      return versus(`${name}, one hook`, timing, { of: 'ratio', most: 1.15 });
    }),
  );
} finally {
  for (const end of ends.toReversed()) await end();
}
