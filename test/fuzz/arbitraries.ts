import fc from 'fast-check';
import { POINT_NAMES, POINTS, type Point } from '../../sdk/points.ts';

/** Any JSON value, with the names and texts that are apt to be taken for something else. */
export const anyJson = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      null,
      '',
      'allow',
      'block',
      '__proto__',
      -0,
      1e300,
      2 ** 53,
      [],
      {},
      [[]],
    ),
  },
);

const NAMES = [
  'action',
  'reason',
  '__proto__',
  'constructor',
  'toJSON',
  'then',
  'payload',
  ' action',
  'Action',
];

const texts = fc.oneof(fc.string(), fc.constantFrom('', 'no', 'x'.repeat(129)));

/** Mostly what belongs under the key, sometimes anything. */
const KEYS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  reason: texts,
  prompt: texts,
  options: fc.array(texts, { maxLength: 12 }),
  timeoutMs: fc.oneof(fc.integer({ min: -1, max: 100_000_000 }), fc.double()),
  default: fc.constantFrom('allow', 'deny', 'block', ''),
  feedback: texts,
  text: texts,
  result: anyJson,
  isError: fc.boolean(),
  note: texts,
  inject: fc.array(
    fc.record(
      {
        content: texts,
        role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'System'),
        ephemeral: fc.boolean(),
        appendToLastToolResult: fc.boolean(),
        silent: fc.boolean(),
        extra: fc.constant(1),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
  notice: fc.record(
    {
      text: texts,
      level: fc.constantFrom('info', 'warning', 'error', 'fatal'),
      source: texts,
      extra: fc.constant(1),
    },
    { requiredKeys: ['text'] },
  ),
  suppressOutput: fc.boolean(),
  outputs: fc.oneof(fc.dictionary(fc.string(), anyJson, { maxKeys: 3 }), anyJson),
  retry: fc.record(
    { abort: fc.boolean(), delayMs: fc.integer({ min: -1, max: 4_000_000 }), model: texts },
    { requiredKeys: [] },
  ),
};

const ACTIONS = ['allow', 'block', 'ask', 'modify', 'result', 'rework', 'suppress'];

/** A point, a payload as it was delivered there, and an answer that is nearly right more often than not. */
export const answersAtPoints = fc
  .constantFrom(...(POINT_NAMES as readonly Point[]))
  .chain((point) =>
    fc.record({ point: fc.constant(point), delivered: payloadsOf(point) }).chain((place) =>
      fc.record({
        point: fc.constant(point),
        delivered: fc.constant(place.delivered),
        answer: answersAt(point, place.delivered),
      }),
    ),
  );

/** A payload with fields of the point, and others. The values are free: what is delivered was checked before. */
export function payloadsOf(point: Point): fc.Arbitrary<Record<string, unknown>> {
  const names = [...Object.keys(POINTS[point].payload.properties), ...NAMES];
  return dictionary(names, anyJson);
}

/** Objects with some of the names as own keys, `__proto__` included. */
function dictionary(
  names: readonly string[],
  values: fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const entries = fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 6 });
  return entries.map((pairs) => Object.fromEntries(pairs));
}

/** The keys that belong to each action; those it cannot do without come first. */
const OWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  allow: [],
  block: ['reason'],
  ask: ['reason', 'prompt', 'options', 'timeoutMs', 'default'],
  modify: ['payload', 'note'],
  result: ['result', 'isError'],
  rework: ['feedback'],
  suppress: ['text'],
};
const SHARED_KEYS = ['reason', 'inject', 'notice', 'suppressOutput', 'outputs', 'retry'];

function answersAt(point: Point, delivered: Record<string, unknown>): fc.Arbitrary<unknown> {
  const { writable, decisions } = POINTS[point];
  const payload = fc.oneof(
    { weight: 4, arbitrary: dictionary(writable.length > 0 ? writable : NAMES, anyJson) },
    { weight: 2, arbitrary: payloadsOf(point).map((changes) => ({ ...delivered, ...changes })) },
    { weight: 1, arbitrary: anyJson },
  );
  const part = (key: string): fc.Arbitrary<unknown> =>
    fc.oneof(
      { weight: 12, arbitrary: key === 'payload' ? payload : (KEYS[key] ?? anyJson) },
      { weight: 1, arbitrary: anyJson },
    );
  const shaped = (action: string): fc.Arbitrary<unknown> => {
    const [first, ...others] = OWN_KEYS[action] ?? [];
    const optional = fc.subarray([...others, ...SHARED_KEYS], { maxLength: 2 });
    return optional.chain((keys) => {
      const names = first === undefined ? keys : [first, ...keys];
      const parts = Object.fromEntries(names.map((key) => [key, part(key)]));
      return fc.record(parts).map((rest) => ({ action, ...rest }));
    });
  };
  const odd = fc.constantFrom('Block', 'deny', 'block ', '', 'constructor', '__proto__');
  const free = fc.record({ action: fc.oneof(odd, anyJson), reason: texts }, { requiredKeys: [] });
  return fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...decisions).chain(shaped) },
    { weight: 2, arbitrary: fc.constantFrom(...ACTIONS).chain(shaped) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...decisions).chain(shaped), dictionary(NAMES, anyJson))
        .map(([right, more]) => ({ ...more, ...(right as object) })),
    },
    { weight: 1, arbitrary: fc.oneof(free, anyJson) },
  );
}
