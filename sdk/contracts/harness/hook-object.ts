import { whenSettled } from '../settled.ts';

/** What `beforeToolExecution` answers. */
export interface ToolGate {
  readonly authorize: boolean;
  /** Text in place of the tool's; an error when the call is refused. */
  readonly mockResult?: string;
  /** The same for a refusal, as the loop from scratch spells it. */
  readonly result?: string;
  readonly steer?: boolean;
  readonly feedback?: string;
}

/** What `beforeProviderCall` answers: the request as it is sent. */
export interface ProviderRequest {
  readonly messages: readonly unknown[];
  readonly systemPrompt?: string;
  readonly tools?: readonly unknown[];
  readonly toolChoice?: 'auto' | 'none' | 'required';
}

/** The context of each point, and what its hook answers. */
export interface HookPoints {
  readonly beforeTurn: [context: TurnStart, answer: unknown];
  readonly beforeProviderCall: [context: ProviderCall, answer: unknown];
  readonly beforeToolExecution: [context: ToolStart, answer: unknown];
  readonly afterToolExecution: [context: ToolEnd, answer: unknown];
  readonly afterTurn: [context: TurnEnd, answer: unknown];
}

interface TurnStart {
  readonly turn: number;
  readonly accumulatedTurns: number;
  readonly messages: readonly unknown[];
  readonly sessionUsage: unknown;
  readonly cwd: string;
}

interface ProviderCall {
  readonly messages: readonly unknown[];
  readonly systemPrompt: string;
  readonly tools: readonly unknown[];
  readonly cwd: string;
}

interface ToolStart {
  readonly toolName: string;
  readonly input: unknown;
  readonly toolUseId: string;
  readonly cwd: string;
}

interface ToolEnd {
  readonly toolName: string;
  readonly input: unknown;
  readonly output: string;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly cwd: string;
}

interface TurnEnd {
  readonly turn: number;
  readonly lastMessage: unknown;
  readonly cwd: string;
}

/** One of the five points. */
export type HookPoint = keyof HookPoints;

/** The five points with their names in Python. */
export const HOOK_POINTS = {
  beforeTurn: 'before_turn',
  beforeProviderCall: 'before_provider_call',
  beforeToolExecution: 'before_tool_execution',
  afterToolExecution: 'after_tool_execution',
  afterTurn: 'after_turn',
} as const satisfies Record<HookPoint, string>;

/** Hooks of one object by point; a point that is not set is skipped. */
export type HookObject = {
  readonly [P in HookPoint]?: (context: HookPoints[P][0]) => unknown;
};

type AnyFunction = (...args: unknown[]) => unknown;

const POINT_LIST = Object.keys(HOOK_POINTS) as HookPoint[];

/**
 * Reads an object of hooks, or says in words why it is none. A loop from scratch calls its hooks with arguments in a
 * row, astorlm with one context: objects with a hook of two parameters or more are taken for the former.
 */
export function readHookObject(value: unknown): HookObject | string {
  if (typeof value !== 'object' || value === null) {
    return `the default export is no object of hooks: ${POINT_LIST.join(', ')}`;
  }
  const given = value as Readonly<Record<string, unknown>>;
  const known: readonly string[] = [...POINT_LIST, ...Object.values(HOOK_POINTS)];
  const stray = Object.keys(given).find((key) => !known.includes(key));
  if (stray !== undefined) return `"${stray}" is no hook: they are ${POINT_LIST.join(', ')}`;
  const found = POINT_LIST.map((point) => [point, functionOf(given, point)] as const);
  const bad = found.find(([, hook]) => hook === null);
  if (bad !== undefined) return `${bad[0]} is not a function`;
  const set = found.filter((entry): entry is [HookPoint, AnyFunction] => entry[1] !== undefined);
  if (set.length === 0) return `none of the hooks is set: ${POINT_LIST.join(', ')}`;
  const isPython = Object.values(HOOK_POINTS).some((name) => given[name] !== undefined);
  const isInARow = isPython || set.some(([, hook]) => hook.length > 1);
  const wrap = isInARow ? (isPython ? fromPython : fromScratch) : fromContext;
  return Object.fromEntries(set.map(([point, hook]) => [point, wrap(point, hook, given)]));
}

/** The hook of a point; `null` for a value that is no function. */
function functionOf(
  given: Readonly<Record<string, unknown>>,
  point: HookPoint,
): AnyFunction | null | undefined {
  const value = given[point] ?? given[HOOK_POINTS[point]];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'function' ? (value as AnyFunction) : null;
}

type Wrapped = (context: object) => unknown;

function fromContext(point: HookPoint, hook: AnyFunction, self: object): Wrapped {
  // A lone beforeProviderCall with one parameter may mean the context or the messages: it is given both in one.
  const isBoth = point === 'beforeProviderCall' && Object.keys(self).length === 1;
  return (context) => {
    if (!isBoth) return hook.call(self, context);
    const { messages } = context as ProviderCall;
    return hook.call(self, Object.assign([...messages], context));
  };
}

function fromScratch(point: HookPoint, hook: AnyFunction, self: object): Wrapped {
  return (context) =>
    whenSettled(hook.apply(self, inARow(point, context)), (answer) => withText(point, answer));
}

/** Python's loops take an empty answer for none. */
function fromPython(point: HookPoint, hook: AnyFunction, self: object): Wrapped {
  const inRow = fromScratch(point, hook, self);
  return (context) => whenSettled(inRow(context), (answer) => answer || undefined);
}

/** A refusal without a text has that of the loop from scratch. */
function withText(point: HookPoint, answer: unknown): unknown {
  if (point !== 'beforeToolExecution' || typeof answer !== 'object' || answer === null) {
    return answer;
  }
  return { result: 'Rejected by policy.', ...answer };
}

function inARow(point: HookPoint, context: object): unknown[] {
  const { turn, messages, toolName, input, output, lastMessage } = context as Partial<
    TurnStart & ToolEnd & TurnEnd
  >;
  switch (point) {
    case 'beforeTurn':
      return [turn, messages];
    case 'beforeProviderCall':
      return [messages];
    case 'beforeToolExecution':
      return [toolName, input];
    case 'afterToolExecution':
      return [toolName, output];
    case 'afterTurn':
      return [turn, lastMessage];
  }
}
