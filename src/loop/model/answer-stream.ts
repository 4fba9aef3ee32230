import type { ToolCallRequest } from '../history/message.ts';
import type { AnswerSink } from './model.ts';
import { streamedArgument } from './progress.ts';
import type { Scene } from '../scene.ts';
import type { ToolBox } from '../tools/tool.ts';
import type { TextWindow } from './window.ts';

/** One answer on its way to the client. */
export interface AnswerStream {
  readonly sink: AnswerSink;
  /** Tells of the calls of a whole answer that were not told of yet, after the text beside them. */
  finish(calls: readonly ToolCallRequest[]): Promise<void>;
  /** The text that went to the client so far, before onToken. */
  shown(): string;
  /** Ends the calls that were told of: the answer broke off. */
  abandon(): Promise<void>;
  /** Takes back what was shown. */
  wipe(): void;
}

/** How an answer is streamed. */
export interface StreamParts {
  readonly scene: Scene;
  readonly tools: ToolBox;
  /** Text waits for the end of the answer. */
  readonly isBuffered: boolean;
  /** Lets out what is sure before the end. */
  readonly window?: TextWindow | undefined;
  readonly signal: AbortSignal;
  readonly parentToolCallId?: string | undefined;
}

/** Fires what belongs to an answer while it comes. */
export function createAnswerStream(parts: StreamParts): AnswerStream {
  const { scene, tools, isBuffered, window, signal } = parts;
  const started = new Map<string, string>();
  let hasShown = false;
  let shown = '';

  async function show(text: string, kind: 'text' | 'thinking'): Promise<void> {
    if (text === '') return;
    if (kind === 'text') shown += text;
    if (await showToken(scene, { text, kind, signal })) hasShown = true;
  }

  function wipe(): void {
    if (hasShown) takeBack(scene);
    hasShown = false;
    shown = '';
  }

  async function start(call: ToolCallRequest, isWhole: boolean): Promise<void> {
    const { id, function: called } = call;
    if (started.has(id)) return;
    const key = tools.get(called.name)?.progressArgument;
    const progress = key === undefined ? undefined : streamedArgument(called.arguments, key);
    // A tool that names an argument is told of with its value.
    if (key !== undefined && progress === undefined && !isWhole) return;
    if (called.name === '' && !isWhole) return;
    started.set(id, called.name);
    await tellStarted(parts, call, progress);
  }

  return {
    sink: {
      async text(piece, kind) {
        if (!isBuffered) return show(piece, kind);
        if (window !== undefined && kind === 'text') await show(await window.add(piece), kind);
      },
      toolCall: (call) => start(call, false),
    },
    async finish(calls) {
      if (window !== undefined && calls.length > 0) {
        const rest = await window.finish();
        // Half of a text beside calls is of no use to the client.
        if (rest === undefined) wipe();
        else await show(rest, 'text');
      }
      for (const call of calls) await start(call, true);
    },
    async abandon() {
      for (const [toolCallId, toolName] of started) {
        scene.emit({ type: 'toolCallDone', id: toolCallId, name: toolName, status: 'error' });
        const { parentToolCallId } = parts;
        await scene.fire('toolCallDone', {
          toolCallId,
          toolName,
          status: 'error',
          ...(parentToolCallId !== undefined && { parentToolCallId }),
        });
      }
      started.clear();
    },
    shown: () => shown,
    wipe,
  };
}

/** Tells hooks and client of a call that appears. */
export async function tellStarted(
  { scene, parentToolCallId }: Pick<StreamParts, 'scene' | 'parentToolCallId'>,
  { id, function: { name, arguments: partialArgs } }: ToolCallRequest,
  progress: string | undefined,
): Promise<void> {
  const told = progress === undefined ? {} : { progress };
  scene.emit({ type: 'toolCallStarted', id, name, ...told });
  await scene.fire('toolCallStarted', {
    toolCallId: id,
    toolName: name,
    partialArgs,
    ...told,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  });
}

/** One piece of text for the client. */
export interface Shown {
  readonly text: string;
  readonly kind: 'text' | 'thinking';
  readonly signal: AbortSignal;
  readonly replace?: boolean;
}

/** Shows a piece of text as onToken leaves it; whether anything was shown. History keeps the original. */
export async function showToken(
  scene: Scene,
  { text, kind, signal, replace = false }: Shown,
): Promise<boolean> {
  const seen = await scene.fire('onToken', { text, finalAnswer: true, kind }, { signal });
  const isHidden = seen.action === 'suppress' || seen.action === 'block';
  const shown = isHidden ? (seen.text ?? '') : seen.payload.text;
  if (shown === '' && !replace) return false;
  scene.emit({ type: 'token', text: shown, kind, finalAnswer: true, replace });
  return true;
}

/** Clears what the client shows of an answer. */
export function takeBack({ emit }: Scene): void {
  emit({ type: 'token', text: '', kind: 'text', finalAnswer: true, replace: true });
}
