import { misfit } from '../check-value.ts';
import { POINT_NAMES, POINTS, type Point } from '../points.ts';
import type { AdaptedHook, AdapterInput } from './adapter.ts';
import { InvalidAnswer } from './invalid-answer.ts';
import { AGENT_OS_POINTS, type AgentOsRow, type Outcome } from './agent-os-points.ts';
import { bagKey } from './agent-os-ports.ts';
import { makeHookContext, type ScriptContext } from './agent-os-context.ts';
import { whenSettled } from './settled.ts';

type Script = Readonly<Record<string, unknown>>;
type AnyFunction = (...args: unknown[]) => unknown;

const BY_POINT: ReadonlyMap<Point, string> = new Map(
  POINT_NAMES.flatMap((point) => (POINTS[point].names.agentOs ?? []).map((name) => [point, name])),
);
const NAMES = [...BY_POINT.values()];

/**
 * The contract of agent-os: a script with functions called as its points are, exported one by one or in a default object.
 * What a function returns is an outcome of that point; nothing, or an empty one, is neutral. A function is called with the
 * event and the hook context in one object, given twice: scripts write `(event, ctx)`, `(ctx, event)` and `(ctx)`.
 */
export function adaptAgentOs(namespace: object, input: AdapterInput): AdaptedHook | string {
  const script = scriptOf(namespace as Script);
  const stray = Object.keys(script).find((name) => isMeantAsPoint(name, script[name]));
  if (stray !== undefined) return `"${stray}" is no point of agent-os; its points: ${list(NAMES)}`;
  const bound = input.points.map(
    (point) => [point as Point, BY_POINT.get(point as Point)] as const,
  );
  const foreign = bound.find(([, name]) => name === undefined);
  if (foreign !== undefined) return `agent-os has no point for ${foreign[0]}`;
  const written = NAMES.filter((name) => typeof script[name] === 'function');
  const unbound = written.find((name) => !bound.some((item) => item[1] === name));
  if (unbound !== undefined) {
    return `the script has a function ${unbound}, whose point is not in the manifest`;
  }
  if (written.length === 0) return `the script has none of the functions ${list(NAMES)}`;
  const isOpen = bound.length === NAMES.length;
  const missing = bound.find(([, name]) => !written.includes(name as string));
  if (!isOpen && missing !== undefined) return `the script has no function ${missing[1]}`;
  return {
    self: undefined,
    run: (point, payload, ctx) =>
      callScript({ script, input, point: point as Point }, payload, ctx),
    handlers: bound
      .filter(([, name]) => written.includes(name as string))
      .map(([point, name]) => ({ name: '', point, event: name as string })),
  };
}

function scriptOf(namespace: Script): Script {
  const { default: exported } = namespace;
  const isObject = typeof exported === 'object' && exported !== null;
  return isObject ? { ...(exported as Script), ...namespace } : namespace;
}

/** A function that looks like a misspelt point would silently never be called. */
function isMeantAsPoint(name: string, value: unknown): boolean {
  return typeof value === 'function' && /^(before|after|on)_/.test(name) && !NAMES.includes(name);
}

interface BoundScript {
  readonly script: Script;
  readonly input: AdapterInput;
  readonly point: Point;
}

function callScript({ script, input, point }: BoundScript, payload: object, ctx: object): unknown {
  const name = BY_POINT.get(point) as string;
  const row = AGENT_OS_POINTS[name];
  const made = makeHookContext(input, ctx as ScriptContext);
  // A required port without a value: the hook is not called.
  if (row === undefined || made === undefined) return { action: 'allow' };
  const given = payload as Outcome;
  const event = { ...made.context, ...row.event(given) };
  const value = (script[name] as AnyFunction).call(script, event, event);
  return whenSettled(value, (returned) => {
    const outcome = readOutcome(name, row, returned);
    if (outcome instanceof InvalidAnswer) return outcome;
    const outputs = outputsOf(input, { ...made.published(), ...(outcome['outputs'] as object) });
    if (outputs instanceof InvalidAnswer) return outputs;
    const { outputs: _outputs, ...fields } = outcome;
    const decision = row.decide({ ...fields, ...row.inPlace?.(event, given) }, given);
    return Object.keys(outputs).length === 0 ? decision : { ...decision, outputs };
  });
}

/** The outcome's fields that are set, or what the point has against them. */
function readOutcome(name: string, row: AgentOsRow, returned: unknown): Outcome | InvalidAnswer {
  if (returned === undefined || returned === null) return {};
  if (typeof returned !== 'object' || Array.isArray(returned)) {
    if (row.isNotification === true) return {};
    const kind = Array.isArray(returned) ? 'an array' : `a ${typeof returned}`;
    return new InvalidAnswer(`${name} returned ${kind}; an outcome is a map of ${fieldsOf(row)}`);
  }
  const set = Object.entries(returned).filter(([, value]) => value !== undefined && value !== null);
  const outcome = Object.fromEntries(set) as Outcome;
  for (const [field, value] of set) {
    const schema = field === 'outputs' ? OUTPUTS : row.outcome[field];
    if (schema === undefined || !Object.hasOwn({ ...row.outcome, outputs: OUTPUTS }, field)) {
      return new InvalidAnswer(
        `${name} has no outcome field "${field.slice(0, 40)}"; it has ${fieldsOf(row)}`,
      );
    }
    const problem = misfitOne(value, schema, `${name}.${field}`);
    if (problem !== undefined) return new InvalidAnswer(problem);
  }
  return outcome;
}

const OUTPUTS = { type: 'object' } as const;

function misfitOne(
  value: unknown,
  schema: AgentOsRow['outcome'][string],
  at: string,
): string | undefined {
  const choices = schema.anyOf ?? [schema];
  const problems = choices.map((choice) => misfit(value, choice, at));
  if (problems.includes(undefined)) return undefined;
  return problems.join(', or ');
}

function fieldsOf(row: AgentOsRow): string {
  return list([...Object.keys(row.outcome), 'outputs']);
}

/** Published values by bag key. */
function outputsOf(
  { name, outputs = [] }: AdapterInput,
  published: object,
): Readonly<Record<string, unknown>> | InvalidAnswer {
  const values = Object.entries(published).map(
    ([key, value]) => [bagKey(name, key), value as unknown] as const,
  );
  const stray = values.find(([key]) => !outputs.includes(key));
  if (stray === undefined) return Object.fromEntries(values);
  return new InvalidAnswer(
    `outputs has "${stray[0].slice(0, 80)}", which the outputs of the manifest do not list`,
  );
}

function list(names: readonly string[]): string {
  return names.join(', ');
}
