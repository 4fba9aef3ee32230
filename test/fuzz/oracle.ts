import { POINTS, type Point } from '../../sdk/points.ts';

// What a decision is, written a second time by hand from the contract and without any code of the parser: a mistake has to
// be made twice to stay hidden.

/** What must come of an answer. */
export type Judgement = 'ok' | 'invalid_decision' | 'capability';

type Json = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTruth = (value: unknown): boolean => value === true || value === false;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isWhole = (from: number, to: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
const isOneOf =
  (...words: readonly string[]) =>
  (value: unknown) =>
    typeof value === 'string' && words.includes(value);
const isAnything = (): boolean => true;

type Check = (value: unknown) => boolean;

function hasOnly(value: unknown, keys: Readonly<Record<string, Check>>, needed: string[]): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return (
    needed.every((name) => names.includes(name)) &&
    names.every((name) => Object.hasOwn(keys, name) && keys[name]?.(value[name]) === true)
  );
}

const isInjection: Check = (value) =>
  hasOnly(
    value,
    {
      content: isText,
      role: isOneOf('system', 'user', 'assistant'),
      ephemeral: isTruth,
      appendToLastToolResult: isTruth,
      silent: isTruth,
    },
    ['content'],
  );
const isNotice: Check = (value) =>
  hasOnly(
    value,
    {
      text: isText,
      level: isOneOf('info', 'warning', 'error'),
      source: (text) => typeof text === 'string' && text.length <= 128,
    },
    ['text'],
  );
const isRetry: Check = (value) =>
  hasOnly(value, { abort: isTruth, delayMs: isWhole(0, 3_600_000), model: isFilled }, []);

const ANY: Readonly<Record<string, Check>> = {
  action: isText,
  reason: isText,
  inject: (value) => Array.isArray(value) && value.length <= 32 && value.every(isInjection),
  notice: isNotice,
  suppressOutput: isTruth,
  outputs: isObject,
};

const OF: Readonly<
  Record<string, readonly [keys: Readonly<Record<string, Check>>, needed: string[]]>
> = {
  allow: [{}, []],
  block: [{}, []],
  ask: [
    {
      reason: isFilled,
      prompt: isText,
      options: (value) =>
        Array.isArray(value) && value.length >= 1 && value.length <= 10 && value.every(isText),
      timeoutMs: isWhole(1, 86_400_000),
      default: isOneOf('allow', 'deny'),
    },
    ['reason'],
  ],
  rework: [{ feedback: isFilled }, ['feedback']],
  suppress: [{ text: isText }, []],
  result: [{ result: isAnything, isError: isTruth }, ['result']],
  modify: [{ payload: isObject, note: isText }, ['payload']],
};

/** Judges an answer as the contract does. */
export function judge(
  answer: unknown,
  place: { readonly point: Point; readonly delivered: Json; readonly granted: readonly string[] },
): Judgement {
  const { point, delivered, granted } = place;
  const row = POINTS[point];
  if (!isObject(answer) || typeof answer['action'] !== 'string') return 'invalid_decision';
  const { action } = answer as { action: string };
  if (!Object.hasOwn(OF, action) || !(row.decisions as readonly string[]).includes(action))
    return 'invalid_decision';
  const [keys, needed] = OF[action] as NonNullable<(typeof OF)[string]>;
  const retry: Readonly<Record<string, Check>> = point === 'preRetry' ? { retry: isRetry } : {};
  if (!hasOnly(answer, { ...ANY, ...retry, ...keys }, ['action', ...needed]))
    return 'invalid_decision';
  const isActing = action !== 'allow' || Object.hasOwn(answer, 'retry');
  if (isActing && row.gates !== null && !granted.includes(row.gates)) return 'capability';
  const { inject } = answer as { inject?: readonly unknown[] };
  if ((inject?.length ?? 0) > 0 && !granted.includes('injects_context')) return 'capability';
  return action === 'modify' ? judgeFields(answer['payload'] as Json, point, delivered) : 'ok';
}

function judgeFields(payload: Json, point: Point, delivered: Json): Judgement {
  const { writable, payload: schema } = POINTS[point];
  for (const [name, value] of Object.entries(payload)) {
    const isThere = Object.hasOwn(delivered, name);
    if (isThere && canonical(value) === canonical(delivered[name])) continue;
    if (!(writable as readonly string[]).includes(name)) return 'invalid_decision';
    const isNeeded = ((schema.required ?? []) as readonly string[]).includes(name);
    if (value === null && isNeeded) return 'invalid_decision';
  }
  return 'ok';
}

/** JSON text with its keys in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
