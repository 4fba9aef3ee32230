import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

const MARK = 'card-4929-0000-1111-2222';

let temporary: TemporaryRuntime;
let text: string;

beforeAll(async () => {
  temporary = await openTemporary(
    {
      guard: { run: '({ action: "block", reason: payload.args.text })' },
      trial: { run: '({ action: "block", reason: "x" })', manifest: { points: ['preInput'] } },
      asker: {
        run: '({ action: "ask", reason: "really" })',
        manifest: { points: ['preOutput'] },
      },
      loose: {
        run: '{ throw new Error(payload.args.text); }',
        manifest: { points: ['postToolUse'], failPolicy: 'open' },
      },
    },
    { hooks: { mode: { trial: 'shadow' } }, approvals: { enabled: true } },
  );
  const { runtime } = temporary;
  const context = { sessionId: MARK };
  await runtime.fire('preToolUse', { toolName: MARK, args: { text: MARK } }, context);
  await runtime.fire('preInput', { text: MARK }, context);
  await runtime.fire('preOutput', { text: MARK }, context);
  await runtime.fire('postToolUse', { toolName: MARK, result: MARK }, context);
  await runtime.fire('sessionEnd', { sessionId: MARK, status: 'completed' }, context);
}, 120_000);
afterAll(() => temporary?.remove());

test('what hooks in shadow mode would have done is counted apart', async () => {
  const shadowed =
    'signalbox_shadow_decisions_total{hook="trial",point="preInput",action="block"} 1';
  await expect
    .poll(() => temporary.runtime.metrics.text(), { timeout: 20_000 })
    .toContain(shadowed);
  text = await temporary.runtime.metrics.text();
});

const valueOf = (sample: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length));
};

test('what chains came to, what they let pass and what waits is there to be scraped', () => {
  expect(valueOf('signalbox_verdicts_total{point="preToolUse",action="block"}')).toBe(1);
  expect(valueOf('signalbox_verdicts_total{point="preOutput",action="ask"}')).toBe(1);
  expect(valueOf('signalbox_passed_without_hook_total{point="sessionEnd"}')).toBe(1);
  expect(valueOf('signalbox_passed_despite_failure_total{point="postToolUse"}')).toBe(1);
  expect(
    valueOf('signalbox_hook_failures_total{hook="loose",point="postToolUse",code="thrown"}'),
  ).toBe(1);
  expect(valueOf('signalbox_approvals_waiting')).toBe(1);
});

test('the state of hooks and of their processes is read at the moment of the scrape', () => {
  expect(valueOf('signalbox_hooks{mode="shadow",state="live"}')).toBe(1);
  expect(valueOf('signalbox_hooks{mode="enforce",state="live"}')).toBe(3);
  expect(valueOf('signalbox_sandbox_processes{sandbox="isolate"}')).toBeGreaterThanOrEqual(2);
  expect(valueOf('signalbox_sandbox_starts_total{sandbox="isolate"}')).toBeGreaterThanOrEqual(2);
  expect(valueOf('signalbox_queue_length{sandbox="isolate"}')).toBe(0);
  expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(1e7);
});

test('every sample has its help and type, and a name as Prometheus wants it', () => {
  const names = new Set(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => /^[a-z_]+/.exec(line)?.[0] ?? line),
  );
  for (const name of names) {
    const family = name.replace(/_(bucket|sum|count)$/, '');
    expect(text).toMatch(new RegExp(`^# HELP (${name}|${family}) `, 'm'));
    expect(text).toMatch(new RegExp(`^# TYPE (${name}|${family}) `, 'm'));
    expect(name).toMatch(/^(signalbox|process)_[a-z_]+$/);
  }
});

test('nothing of what calls carried is in it', () => {
  expect(text).not.toContain(MARK);
});
