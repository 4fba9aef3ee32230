import { afterAll, beforeAll } from 'vitest';
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
import {
  openTemporary,
  type HookDraft,
  type TemporaryConfig,
  type TemporaryRuntime,
} from '../runtime/temporary-runtime.ts';
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

/** A runtime for all tests of a file, and agents that run on it. */
export interface Theatre {
  readonly runtime: LiveRuntime;
  readonly folder: string;
  /** Runs an agent that has the tool `echo`, in a session. */
  play(
    sessionId: string,
    script: Parameters<typeof play>[1],
    options?: StageOptions,
  ): Promise<Stage>;
}

/** Opens a theatre before the tests of a file and closes it after them. */
export function openTheatre(
  hooks: Readonly<Record<string, HookDraft>>,
  config: TemporaryConfig & { readonly access?: object; readonly budgets?: object } = {},
): Theatre {
  let temporary: TemporaryRuntime | undefined;
  beforeAll(async () => {
    temporary = await openTemporary(hooks, config);
  }, 120_000);
  afterAll(() => temporary?.remove());
  const there = (): TemporaryRuntime => {
    if (temporary === undefined) throw new Error('The theatre is not open yet');
    return temporary;
  };
  return {
    get runtime() {
      return there().runtime;
    },
    get folder() {
      return there().folder;
    },
    play: (sessionId, script, options) =>
      play(there().runtime, script, { sessionId, tools: [echo()], ...options }),
  };
}

/** A hook at points, for some sessions. */
export function at(points: readonly string[], sessions: readonly string[], run: string): HookDraft {
  return { run, manifest: { points, when: { sessions } } };
}

/** A call of the tool `echo` as a model writes it. */
export const call = (id: string, text: unknown) => ({ id, name: 'echo', args: { text } });

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
