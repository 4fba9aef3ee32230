import { SignalboxError } from '../../../sdk/errors.ts';
import type { Point } from '../../../sdk/points.ts';

/** A call of a hook as its words on the command line make it. */
export interface HookEvent {
  readonly point: Point;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface VerbRow {
  /** How it is written, for help and errors. */
  readonly usage: string;
  readonly least: number;
  readonly most: number;
  readonly event: (words: readonly string[]) => HookEvent;
}

/** What `signalbox hook <file>` can fire, by the verb of agent-os. */
export const HOOK_VERBS: Readonly<Record<string, VerbRow>> = {
  user: row('user "text"', [1, 1], ([text]) => ({ point: 'preInput', payload: { text } })),
  turn: row('turn "question" "answer"', [2, 2], ([input, output]) => ({
    point: 'postTurn',
    payload: { turn: 1, input, output },
  })),
  loop: row('loop "outcome"', [1, 1], ([outcome]) => ({
    point: 'runEnd',
    payload: { response: '', status: 'completed', outcome },
  })),
  tool: row("tool <name> ['{args}']", [1, 2], ([toolName, args = '{}']) => ({
    point: 'preToolUse',
    payload: { toolName, args: readObject(args) },
  })),
  result: row('result <name> "text" [true|false]', [2, 3], ([toolName, result, isError]) => ({
    point: 'postToolUse',
    payload: { toolName, result, isError: readFlag(isError, false) },
  })),
  inference: row("inference '{request}'", [1, 1], ([request = '{}']) => ({
    point: 'preModelCall',
    payload: readRequest(request),
  })),
  token: row('token "chunk" [true|false]', [1, 2], ([text, finalAnswer]) => ({
    point: 'onToken',
    payload: { text, finalAnswer: readFlag(finalAnswer, true) },
  })),
  evict: row('evict "summary"', [1, 1], ([summary]) => ({
    point: 'preCompact',
    payload: { evicted: [], summary },
  })),
  answer: row('answer "question" "answer"', [2, 2], ([question, text]) => ({
    point: 'preOutput',
    payload: { question, text },
  })),
  spawn: row('spawn', [0, 0], () => ({
    point: 'postSpawn',
    payload: { childId: 'child', depth: 1, agent: 'child' },
  })),
  terminate: row('terminate <exit code>', [0, 1], ([code = '0']) => ({
    point: 'postTerminate',
    payload: { pid: 'child', exitCode: readNumber(code) },
  })),
  error: row('error "message"', [1, 1], ([message]) => ({
    point: 'error',
    payload: { message, where: 'command line' },
  })),
  retry: row('retry "error" [attempt] [most]', [1, 3], ([error, attempt = '1', most = '3']) => ({
    point: 'preRetry',
    payload: {
      error,
      attempt: readNumber(attempt),
      maxAttempts: readNumber(most),
      delayMs: 1000,
      model: 'model',
    },
  })),
  syscall: row("syscall <name> ['{args}'] [target]", [1, 3], ([syscall, args = '{}', target]) => ({
    point: 'preSyscall',
    payload: { syscall, args: readObject(args), ...(target !== undefined && { target }) },
  })),
  budget: row('budget <session|group|user> <spent> <max>', [3, 3], ([level, spent, max]) => {
    const [used, most] = [readNumber(spent), readNumber(max)];
    return {
      point: 'budgetThreshold',
      payload: { level, spent: used, max: most, ratio: most === 0 ? 1 : used / most },
    };
  }),
};

function row(
  usage: string,
  [least, most]: readonly [number, number],
  event: VerbRow['event'],
): VerbRow {
  return { usage, least, most, event };
}

/** The call of a verb and its words. Throws `usage`. */
export function hookEvent(verb: string, words: readonly string[]): HookEvent {
  const found = Object.hasOwn(HOOK_VERBS, verb) ? HOOK_VERBS[verb] : undefined;
  if (found === undefined) {
    throw usage(`hook knows no "${verb}"; it knows info, ${Object.keys(HOOK_VERBS).join(', ')}`);
  }
  const { least, most } = found;
  if (words.length < least || words.length > most) throw usage(`write: hook <file> ${found.usage}`);
  return found.event(words);
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage('the arguments are not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usage('the arguments must be a JSON object');
  }
  return value as Readonly<Record<string, unknown>>;
}

function readRequest(text: string): Readonly<Record<string, unknown>> {
  const { model, messages = [], tools = [], max_tokens: maxTokens, temperature } = readObject(text);
  return {
    messages,
    tools,
    ...(model !== undefined && { model }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function readFlag(text: string | undefined, otherwise: boolean): boolean {
  if (text === undefined) return otherwise;
  if (text === 'true' || text === 'false') return text === 'true';
  throw usage('a flag is true or false');
}

function readNumber(text = ''): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw usage('a number is expected');
}

function usage(detail: string): SignalboxError {
  return new SignalboxError('usage', { detail });
}
