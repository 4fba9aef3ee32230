import { covers } from './capabilities.ts';
import { misfit, shorten } from './check-value.ts';
import { ACTIONS, ACTION_NAMES, COMMON_KEYS, type Action, type Decision } from './decisions.ts';
import type { Schema } from './json-schema.ts';
import { LIMITS } from './limits.ts';
import { POINTS, type Point } from './points.ts';

/** A decision, or why the answer is none. */
export type ParsedDecision =
  | { readonly ok: true; readonly decision: Decision }
  | {
      readonly ok: false;
      readonly code: 'invalid_decision' | 'capability';
      readonly detail: string;
    };

/** What an answer is held against. */
export interface ParseContext {
  readonly point: Point;
  /** The payload as the hook was given it. */
  readonly delivered: Readonly<Record<string, unknown>>;
  readonly granted: readonly string[];
}

/**
 * Reads a hook's answer, which is exactly one of the shapes of {@link Decision} and legal at the point, or a failure.
 * Nothing is guessed. A `modify` comes back with the fields alone that change, `null` for one to remove.
 */
export function parseDecision(text: string, context: ParseContext): ParsedDecision {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid('the answer is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('an answer is an object with an action');
  }
  if (isTooDeep(value, LIMITS.nesting))
    return invalid(`the answer is nested deeper than ${LIMITS.nesting}`);
  return parseObject(value as Readonly<Record<string, unknown>>, context);
}

function parseObject(
  answer: Readonly<Record<string, unknown>>,
  context: ParseContext,
): ParsedDecision {
  const { action } = answer;
  const legal = POINTS[context.point].decisions;
  if (!isAction(action)) {
    const keys = Object.keys(answer).slice(0, 8).map(shorten).join(', ');
    return invalid(`no known action, keys: ${keys || 'none'}; legal here: ${legal.join(', ')}`);
  }
  if (!legal.includes(action)) {
    return invalid(`"${action}" is not legal at ${context.point}; legal here: ${legal.join(', ')}`);
  }
  const problem = misfit(
    answer,
    context.point === 'preRetry' ? SHAPES[action].withRetry : SHAPES[action].plain,
    'the decision',
  );
  if (problem !== undefined) return invalid(problem);
  // The shape was checked above, key by key.
  const decision = answer as unknown as Decision;
  const missing = missingCapability(decision, context);
  if (missing !== undefined) {
    return { ok: false, code: 'capability', detail: `"${missing}" is needed for "${action}"` };
  }
  return action === 'modify' ? parseModify(answer, context) : { ok: true, decision };
}

function isAction(action: unknown): action is Action {
  return typeof action === 'string' && (ACTION_NAMES as readonly string[]).includes(action);
}

/** The shape of each action, without and with `retry`. The cast gives fromEntries its keys back. */
const SHAPES = Object.fromEntries(
  ACTION_NAMES.map((action) => {
    const { retry, ...common } = COMMON_KEYS;
    const row = ACTIONS[action];
    const properties = { action: {}, ...common, ...row.keys };
    const plain: Schema = {
      type: 'object',
      properties,
      required: ['action', ...row.required],
      additionalProperties: false,
    };
    return [action, { plain, withRetry: { ...plain, properties: { ...properties, retry } } }];
  }),
) as unknown as Record<Action, { readonly plain: Schema; readonly withRetry: Schema }>;

function missingCapability(decision: Decision, context: ParseContext): string | undefined {
  const { gates } = POINTS[context.point];
  // `suppressOutput` keeps back what the hook itself printed: it acts on nothing else.
  const isActing = decision.action !== 'allow' || decision.retry !== undefined;
  if (isActing && gates !== null && !covers(context.granted, gates)) return gates;
  const injects = decision.inject !== undefined && decision.inject.length > 0;
  if (injects && !covers(context.granted, 'injects_context')) return 'injects_context';
  return undefined;
}

function parseModify(
  answer: Readonly<Record<string, unknown>>,
  context: ParseContext,
): ParsedDecision {
  const row = POINTS[context.point];
  const required = row.payload.required ?? [];
  const changes: [string, unknown][] = [];
  for (const [key, value] of Object.entries(answer['payload'] as object)) {
    const isKnown = Object.hasOwn(row.payload.properties, key);
    const before = Object.hasOwn(context.delivered, key) ? context.delivered[key] : undefined;
    if (isSameJson(value, before)) continue;
    if (!row.writable.includes(key)) {
      const word = isKnown || before !== undefined ? 'cannot be changed' : 'is unknown';
      return invalid(
        `payload.${shorten(key)} ${word} at ${context.point}; writable: ${row.writable.join(', ')}`,
      );
    }
    if (value === null && required.includes(key))
      return invalid(`payload.${key} cannot be removed`);
    if (value === null && before === undefined) continue;
    changes.push([key, value]);
  }
  // fromEntries defines properties, so that a key "__proto__" stays a plain key.
  const payload = Object.fromEntries(changes);
  // A modify by its shape, with a payload of the same kind.
  return { ok: true, decision: { ...answer, payload } as unknown as Decision };
}

/** Whether two JSON values are equal, whatever the order of their keys. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) &&
      isSameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

/** Whether a JSON value is nested deeper than `limit`, without recursing. */
export function isTooDeep(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const child of Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}

function invalid(detail: string): ParsedDecision {
  return { ok: false, code: 'invalid_decision', detail };
}
