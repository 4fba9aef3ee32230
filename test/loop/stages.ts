import { POINT_NAMES, type Point } from '../../sdk/points.ts';
import type { LiveRuntime } from '../../src/index.ts';
import {
  openAiModel,
  openHistory,
  runAgent,
  type AgentOptions,
  type AgentTool,
  type ClientEvent,
  type HistoryStore,
  type RunResult,
} from '../../src/loop/index.ts';
import type { Context } from '../../src/verdict.ts';
import type { HookDraft } from '../runtime/temporary-runtime.ts';
import { openScriptedModel, type Reply, type SeenRequest } from './scripted-model.ts';

/** One fire as it was made. */
export interface SeenFire {
  readonly point: Point;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly context: Context;
}

/** A run on a scripted model and all that was seen of it. */
export interface Stage {
  readonly result: RunResult;
  readonly fires: readonly SeenFire[];
  readonly points: readonly Point[];
  readonly events: readonly ClientEvent[];
  readonly requests: readonly SeenRequest[];
  readonly history: HistoryStore;
  /** What the client shows in the end. */
  readonly shown: string;
}

/** How a stage is set. */
export type StageOptions = Partial<Omit<AgentOptions, 'runtime' | 'model'>> & {
  readonly prompt?: string;
  /** Goes on with what the session left, without a prompt. */
  readonly isResumed?: boolean;
  readonly signal?: AbortSignal;
  readonly maxAnswerChars?: number;
  readonly timeoutMs?: number;
};

/** A hook at every point that lets everything pass, so that each payload is held against its row. */
export const WATCHER: HookDraft = { manifest: { points: POINT_NAMES, priority: -100 } };

/** The runtime with a note of each fire, in the order they are made. */
export function watched(runtime: LiveRuntime, fires: SeenFire[]): LiveRuntime {
  return {
    ...runtime,
    fire(point, payload, context = {}) {
      fires.push({ point, payload: structuredClone(payload) as SeenFire['payload'], context });
      return runtime.fire(point, payload, context);
    },
  };
}

/** Runs an agent on a script. The history is in memory and stays open for a look. */
export async function play(
  runtime: LiveRuntime,
  script: readonly Reply[] | ((request: SeenRequest, number: number) => Reply),
  {
    prompt = 'hello',
    isResumed = false,
    signal,
    maxAnswerChars,
    timeoutMs,
    ...options
  }: StageOptions = {},
): Promise<Stage> {
  const server = await openScriptedModel(script);
  const fires: SeenFire[] = [];
  const events: ClientEvent[] = [];
  const history = options.history ?? (await openHistory(':memory:'));
  try {
    const result = await runAgent({
      retryDelayMs: 1,
      ...options,
      runtime: watched(runtime, fires),
      model: openAiModel({ baseUrl: server.baseUrl, model: 'scripted', maxAnswerChars, timeoutMs }),
      history,
      prompt: isResumed ? undefined : prompt,
      signal,
      onEvent(event) {
        events.push(event);
        options.onEvent?.(event);
      },
    });
    const { requests } = server;
    const points = fires.map(({ point }) => point);
    return { result, fires, points, events, requests, history, shown: shownOf(events) };
  } finally {
    await server.close();
  }
}

/** What is left on the client's screen. */
export function shownOf(events: readonly ClientEvent[]): string {
  return events.reduce((shown, event) => {
    if (event.type !== 'token' || event.kind !== 'text') return shown;
    return event.replace ? event.text : shown + event.text;
  }, '');
}

/** A tool that gives back what it is called with, and notes each call. */
export function echo(calls: unknown[] = [], name = 'echo'): AgentTool {
  return {
    name,
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
    run(args) {
      calls.push(args);
      return `echo ${String(args['text'])}`;
    },
  };
}
