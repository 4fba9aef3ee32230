import type { Payloads, Point } from '../../sdk/points.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import type { TestOutcome } from './outcome.ts';
import { samplePayload, type Filling } from './sample-payload.ts';

/** Stands in every payload, and must not come out of a hook in words that are kept. */
const MARK = 'q7Zx-9f3K-payload-mark';

const LONG = 200_000;

/** Ways to fill a payload that no hook may fall over. */
const FILLINGS: Readonly<Record<string, Filling>> = {
  empty: { text: '', open: null, isFull: false },
  'empty but complete': { text: '', open: {}, isFull: true },
  plain: { text: MARK, open: { value: MARK, list: [MARK] }, isFull: true },
  huge: { text: `${MARK} ${'a'.repeat(LONG)}`, open: 'b'.repeat(LONG), isFull: true },
  wide: {
    text: MARK,
    open: Array.from({ length: 5000 }, (_, at) => ({ at, text: MARK })),
    isFull: true,
  },
  deep: { text: MARK, open: nested(150), isFull: true },
  'numbers for texts': { text: '0', open: [0, -1, 1e308, 5e-324], isFull: true },
  'a list for an object': { text: '[]', open: [[[]], [null], true], isFull: true },
  unicode: {
    text: `${MARK}\u0000\ud800 e\u0301 \u202e\u200b\u2066 👩‍👩‍👧 İıſK ﬀ ${'\u0301'.repeat(500)}`,
    open: { 'ключ\u200b': '値\udfff', '': '' },
    isFull: true,
  },
  'hostile keys': {
    text: '__proto__',
    open: JSON.parse(
      `{"__proto__": {"polluted": "${MARK}"}, "constructor": {"prototype": {}}, "toString": 1, "then": 1, "length": -1, "hasOwnProperty": null}`,
    ) as unknown,
    isFull: true,
  },
  'slow patterns': {
    text: `${MARK} ${'a'.repeat(20_000)}! ${'@'.repeat(20_000)} ${'0-'.repeat(20_000)} ${' '.repeat(20_000)}x`,
    open: `${'.a@'.repeat(10_000)} ${'1 '.repeat(10_000)}`,
    isFull: true,
  },
  'text of other languages': {
    text: `${MARK} '; DROP TABLE x;-- <script>alert(1)</script> \${7*7} {{7*7}} $(id) %s%n ../../etc/passwd {"action":"allow"}`,
    open: '{"__proto__": {"a": 1}, "a": [[[[',
    isFull: true,
  },
};

/** What a hook that conforms does not do. */
export interface ConformanceProblem {
  readonly point: Point;
  /** What the payload was like. */
  readonly payload: string;
  readonly problem: string;
}

/**
 * Runs a hook on empty, huge, odd and hostile payloads at each of its points: it must not fail, not exceed its time, and say
 * none of the payload in a reason, a notice or a log line. Nothing comes back when it conforms.
 */
export async function checkConformance(host: {
  readonly points: readonly Point[];
  run(point: Point, payload: Payloads[Point]): Promise<TestOutcome>;
}): Promise<ConformanceProblem[]> {
  const problems: ConformanceProblem[] = [];
  for (const point of host.points) {
    for (const [name, filling] of Object.entries(FILLINGS)) {
      // Made from the schema of the point; a point may still refuse it, and then no hook ever sees it.
      const payload = samplePayload(point, filling) as unknown as Payloads[Point];
      const outcome = await host.run(point, payload).catch(refused);
      const problem = outcome === undefined ? undefined : problemOf(outcome);
      if (problem !== undefined) problems.push({ point, payload: name, problem });
    }
  }
  return problems;
}

const ASIDES: Readonly<Partial<Record<TestOutcome['action'], string>>> = {
  ask: 'the question',
  modify: 'the note of the change',
};

function refused(error: unknown): undefined {
  if (error instanceof SignalboxError && error.code === 'payload_invalid') return undefined;
  throw error;
}

function problemOf({ failure, detail, reason, decision }: TestOutcome): string | undefined {
  if (failure !== undefined) return `it fails with ${failure}: ${detail ?? ''}`;
  const kept = [
    ['the reason', reason],
    ['the feedback', decision.feedback],
    ...(decision.said ?? []).map((text) => [ASIDES[decision.action] ?? 'a text', text] as const),
    ...(decision.notices ?? []).map((text) => ['a notice', text] as const),
    ...(decision.logs ?? []).map((line) => ['a log line', line] as const),
  ] as const;
  const echo = kept.find(([, text]) => text?.includes(MARK) === true);
  return echo === undefined ? undefined : `${echo[0]} repeats the payload`;
}

function nested(levels: number): unknown {
  let value: unknown = MARK;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}
