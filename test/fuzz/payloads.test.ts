import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CAPABILITIES } from '../../sdk/capabilities.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { anyJson, answersAtPoints, payloadsOf } from './arbitraries.ts';
import { PATIENCE_MS, RUNS, SEED } from './fuzz-size.ts';
import { judge } from './oracle.ts';

const POINT = 'preToolUse';
const GRANTED = Object.entries(CAPABILITIES)
  .filter(([, { scope }]) => scope !== 'required')
  .map(([name]) => name);

let temporary: TemporaryRuntime;

beforeAll(async () => {
  temporary = await openTemporary({
    // Answers what its payload says.
    echo: { run: 'payload.args.answer', manifest: { capabilities: GRANTED, failPolicy: 'closed' } },
  });
}, 120_000);
afterAll(() => temporary.remove());

/** Through the whole house: a payload in, a hook in its sandbox, an answer out, a verdict. */
test(
  'whatever a caller sends and a hook answers, there is one verdict within the contract, or a refusal of the payload',
  async () => {
    const counts = { refused: 0, decided: 0, failed: 0 };
    const answers = answersAtPoints
      .filter(({ point }) => point === POINT)
      .map(({ answer }) => answer);
    const right = fc.record({
      toolName: fc.string({ minLength: 1, maxLength: 20 }),
      args: fc.record({ answer: fc.oneof(answers, anyJson) }),
    });
    const payload = fc.oneof(
      { weight: 3, arbitrary: right },
      { weight: 1, arbitrary: payloadsOf(POINT) },
      { weight: 1, arbitrary: anyJson },
    );
    await fc.assert(
      fc.asyncProperty(payload, async (sent) => {
        let verdict;
        try {
          verdict = await temporary.runtime.fire(POINT, sent as never, { sessionId: 's' });
        } catch (error) {
          expect(error).toBeInstanceOf(SignalboxError);
          expect(['payload_invalid', 'payload_size']).toContain((error as SignalboxError).code);
          counts.refused += 1;
          return;
        }
        expect(verdict.trace).toHaveLength(1);
        const { action, code } = verdict.trace[0] ?? {};
        // What the hook was given is what the caller sent, with the row's defaults.
        const { args = {} } = sent as { args?: { answer?: unknown } };
        const text = JSON.stringify(args.answer);
        const judgement =
          text === undefined
            ? 'invalid_decision'
            : judge(JSON.parse(text), {
                point: POINT,
                delivered: { ...verdict.payload },
                granted: GRANTED,
              });
        if (code === undefined) {
          counts.decided += 1;
          expect(judgement).toBe('ok');
          expect(action).toBe((args.answer as { action: string }).action);
        } else {
          counts.failed += 1;
          expect(verdict).toMatchObject({
            action: 'block',
            reason: 'Hook "echo" failed (fail-closed)',
          });
        }
      }),
      { numRuns: Math.ceil(RUNS / 2), seed: SEED },
    );
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(RUNS / 50);
  },
  PATIENCE_MS,
);
