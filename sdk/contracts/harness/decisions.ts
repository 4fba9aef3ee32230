import type { Decision } from '../../decisions.ts';
import { gateOf, requestOf, textOf } from './answers.ts';
import type { HookObject } from './hook-object.ts';

type Payload = Readonly<Record<string, unknown>>;

const ALLOW: Decision = { action: 'allow' };

/** Texts that the model reads where a hook gives none. */
const REFUSED = 'Execution rejected by user policy.';
const STEERED = 'Execution cancelled by user feedback.';

/** There is no working folder in a sandbox. */
const CWD = '.';

/** Runs the hook of a point, if it is set, and gives the decision that its answer means. What it throws fails the run. */
export async function decideHarness(
  hooks: HookObject,
  point: string,
  payload: object,
): Promise<Decision> {
  const given = payload as Payload;
  switch (point) {
    case 'preTurn':
      await hooks.beforeTurn?.({
        turn: Number(given['turn']),
        accumulatedTurns: Number(given['accumulatedTurns'] ?? given['turn']),
        messages: listOf(given['messages']),
        sessionUsage: given['usage'],
        cwd: CWD,
      });
      return ALLOW;
    case 'preModelCall':
      return decideCall(hooks, given);
    case 'preToolUse':
      return decideTool(hooks, given);
    case 'postToolUse':
      return decideResult(hooks, given);
    case 'postTurn':
      await hooks.afterTurn?.({
        turn: Number(given['turn']),
        lastMessage: given['lastMessage'] ?? { role: 'assistant', content: given['output'] },
        cwd: CWD,
      });
      return ALLOW;
    default:
      return ALLOW;
  }
}

async function decideCall(hooks: HookObject, given: Payload): Promise<Decision> {
  if (hooks.beforeProviderCall === undefined) return ALLOW;
  const before = snapshotOf(given);
  const answer = await hooks.beforeProviderCall({
    messages: listOf(given['messages']),
    systemPrompt: textIn(given, 'systemPrompt'),
    tools: listOf(given['tools']),
    cwd: CWD,
  });
  return changed(before, { ...requestOf(answer) });
}

async function decideTool(hooks: HookObject, given: Payload): Promise<Decision> {
  if (hooks.beforeToolExecution === undefined) return ALLOW;
  const before = snapshotOf(given);
  const input = given['args'];
  const gate = gateOf(
    await hooks.beforeToolExecution({
      toolName: textIn(given, 'toolName'),
      input,
      toolUseId: textIn(given, 'toolCallId'),
      cwd: CWD,
    }),
  );
  if (gate?.steer === true) return { action: 'rework', feedback: gate.feedback || STEERED };
  if (gate?.authorize === false) {
    return { action: 'block', reason: gate.mockResult ?? gate.result ?? REFUSED };
  }
  if (gate?.mockResult !== undefined) return { action: 'result', result: gate.mockResult };
  // A hook may have changed the arguments where they lie.
  return changed(before, { args: input });
}

async function decideResult(hooks: HookObject, given: Payload): Promise<Decision> {
  if (hooks.afterToolExecution === undefined) return ALLOW;
  const { args, result, durationMs, isError } = given;
  const output = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  const text = textOf(
    await hooks.afterToolExecution({
      toolName: textIn(given, 'toolName'),
      input: args,
      output,
      durationMs: Number(durationMs ?? 0),
      isError: isError === true,
      cwd: CWD,
    }),
  );
  return text === undefined || text === output
    ? ALLOW
    : { action: 'modify', payload: { result: text } };
}

type Snapshot = Readonly<Record<string, string | undefined>>;

/** Each field as text, before a hook can change what lies in it. */
function snapshotOf(payload: Payload): Snapshot {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, JSON.stringify(value)]),
  );
}

/** A change of the fields that differ from what they were. */
function changed(before: Snapshot, after: Payload): Decision {
  const payload = Object.fromEntries(
    Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== before[key]),
  );
  return Object.keys(payload).length === 0 ? ALLOW : { action: 'modify', payload };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function textIn(payload: Payload, key: string): string {
  const value = payload[key];
  return typeof value === 'string' ? value : '';
}
