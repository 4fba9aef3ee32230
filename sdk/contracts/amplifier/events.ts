import { POINT_NAMES, POINTS, type Point } from '../../points.ts';

type Data = Readonly<Record<string, unknown>>;

const POINT_OF: ReadonlyMap<string, Point> = new Map(
  POINT_NAMES.flatMap((point) =>
    (POINTS[point].names.amplifier ?? []).map((event) => [event, point] as const),
  ),
);

/** The events that the system itself emits, in the order of our points. */
export const AMPLIFIER_EVENTS: readonly string[] = [...POINT_OF.keys()];

/** The class constants of its registry. */
export const EVENT_CONSTANTS = {
  SESSION_START: 'session:start',
  SESSION_END: 'session:end',
  PROMPT_SUBMIT: 'prompt:submit',
  TOOL_PRE: 'tool:pre',
  TOOL_POST: 'tool:post',
  CONTEXT_PRE_COMPACT: 'context:pre_compact',
  ORCHESTRATOR_COMPLETE: 'orchestrator:complete',
  USER_NOTIFICATION: 'user:notification',
} as const;

/** Whether a text is a name of an event, "namespace:action". */
export function isEventName(text: string): boolean {
  return /^[^:\s]{1,60}:[^:\s]{1,60}$/.test(text);
}

/** The point where an event fires; custom events fire at `event`. */
export function pointOf(event: string): Point {
  return POINT_OF.get(event) ?? 'event';
}

/** Payload fields whose name in the data is not just theirs in snake_case. */
const FIELD_NAMES: Readonly<Partial<Record<Point, Readonly<Record<string, string>>>>> = {
  preInput: { text: 'prompt' },
  preToolUse: { args: 'tool_input' },
  postToolUse: { args: 'tool_input', result: 'tool_result' },
  postToolFailure: { args: 'tool_input' },
  postSpawn: { childId: 'session_id' },
  postTurn: { turn: 'turn_count', input: 'prompt', output: 'response' },
  error: { message: 'error' },
};

/** Data that our payload does not have: the host knows no name of a provider or orchestrator. */
const ADDED_DATA: Readonly<Record<string, Data>> = {
  'provider:request': { provider: 'host' },
  'provider:response': { provider: 'host' },
  'provider:retry': { provider: 'host' },
  'provider:error': { provider: 'host' },
  'orchestrator:complete': { orchestrator: 'signalbox', status: 'success' },
};

/** Events of a model call: they alone carry `request_id`. */
const CALL_EVENTS: ReadonlySet<string> = new Set([
  'llm:request',
  'llm:response',
  'provider:error',
  'provider:retry',
  'provider:throttle',
]);

/** Whether a fire of a point is the event: a point may stand for several. */
export function isFiredBy(event: string, point: string, payload: Data): boolean {
  if (pointOf(event) !== point) return false;
  switch (event) {
    case 'session:start':
      return payload['resumed'] !== true;
    case 'session:resume':
      return payload['resumed'] === true;
    case 'content_block:delta':
      return payload['kind'] !== 'thinking';
    case 'thinking:delta':
      return payload['kind'] === 'thinking';
    case 'tool:post':
      // A call that was refused has no result of the tool.
      return payload['refused'] !== true;
    default:
      return point !== 'event' || payload['name'] === event;
  }
}

/** The data of an event: the payload in the words of the contract. */
export function dataOf(event: string, point: Point, payload: Data): Record<string, unknown> {
  const data: Record<string, unknown> = { ...ADDED_DATA[event] };
  if (point === 'event') Object.assign(data, payload['data']);
  else {
    for (const key of Object.keys(payload)) {
      if (key !== 'requestId') data[dataName(point, key)] = payload[key];
    }
  }
  const { requestId } = payload;
  if (requestId !== undefined && CALL_EVENTS.has(event)) data['request_id'] ??= requestId;
  data['timestamp'] = stampOf(payload['timestamp']);
  return data;
}

/** The fields of the payload that changed data gives; what the point has no writable field for is left out. */
export function changesOf(point: Point, data: Data): Record<string, unknown> {
  if (point === 'event') {
    const { timestamp: _, ...kept } = data;
    return { data: kept };
  }
  const changes: Record<string, unknown> = {};
  for (const key of POINTS[point].writable) {
    const name = dataName(point, key);
    if (data[name] !== undefined) changes[key] = data[name];
  }
  return changes;
}

/** A point in time as the contract writes it: its offset is always spelled out. */
export function stampOf(timestamp: unknown): string {
  const text = typeof timestamp === 'string' ? timestamp : new Date().toISOString();
  return text.endsWith('Z') ? `${text.slice(0, -1)}+00:00` : text;
}

/** The names of all fields, made once: they are looked up in every run. */
const DATA_NAMES: ReadonlyMap<Point, ReadonlyMap<string, string>> = new Map(
  POINT_NAMES.map((point) => {
    const keys = Object.keys(POINTS[point].payload.properties);
    return [point, new Map(keys.map((key) => [key, FIELD_NAMES[point]?.[key] ?? snakeCase(key)]))];
  }),
);

function dataName(point: Point, key: string): string {
  return DATA_NAMES.get(point)?.get(key) ?? snakeCase(key);
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
