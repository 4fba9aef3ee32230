import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CAPABILITIES } from '../../sdk/capabilities.ts';
import { parseDecision } from '../../sdk/parse-decision.ts';
import { anyJson, answersAtPoints } from './arbitraries.ts';
import { PATIENCE_MS, RUNS, SEED } from './fuzz-size.ts';
import { judge } from './oracle.ts';

const ALL = Object.keys(CAPABILITIES);

test(
  'an answer is a decision exactly where the contract says so',
  () => {
    const counts = { ok: 0, invalid_decision: 0, capability: 0 };
    fc.assert(
      fc.property(answersAtPoints, fc.subarray(ALL), fc.boolean(), (at, some, isAllGranted) => {
        const granted = isAllGranted ? ALL : some;
        const { point } = at;
        const text = JSON.stringify(at.answer);
        const delivered = JSON.parse(JSON.stringify(at.delivered)) as Record<string, unknown>;
        const parsed = parseDecision(text, { point, delivered, granted });
        const judgement = judge(JSON.parse(text), { point, delivered, granted });
        counts[judgement] += 1;
        expect(parsed.ok ? 'ok' : parsed.code).toBe(judgement);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // A property that never meets a good answer shows nothing.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(RUNS / 100);
  },
  PATIENCE_MS,
);

test(
  'a text that is no JSON object is never a decision, and no text throws',
  () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      anyJson.map((value) => JSON.stringify(value)),
      fc.tuple(anyJson, fc.nat(50)).map(([value, cut]) => JSON.stringify(value).slice(cut)),
      fc.nat(5000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
      fc.nat(5000).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
    );
    fc.assert(
      fc.property(text, (answer) => {
        const place = { point: 'preToolUse', delivered: {}, granted: ALL } as const;
        const parsed = parseDecision(answer, place);
        if (parsed.ok) expect(judge(JSON.parse(answer), place)).toBe('ok');
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
  PATIENCE_MS,
);
