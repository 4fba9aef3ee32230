import type { Decision } from '../../decisions.ts';
import { whenSettled } from '../settled.ts';
import { gateOf, requestOf, textOf } from './answers.ts';
import type { HookObject, ToolGate } from './hook-object.ts';

type Payload = Readonly<Record<string, unknown>>;

const ALLOW: Decision = { action: 'allow' };

/** Texts that the model reads where a hook gives none. */
const REFUSED = 'Execution rejected by user policy.';
const STEERED = 'Execution cancelled by user feedback.';

/** There is no working folder in a sandbox. */
const CWD = '.';

/**
 * Runs the hook of a point, if it is set, and gives the decision that its answer means, or a promise of it where the hook
 * is async. What it throws fails the run.
 */
export function decideHarness(hooks: HookObject, point: string, payload: object): unknown {
  const given = payload as Payload;
  switch (point) {
    case 'preTurn':
      return whenSettled(
        hooks.beforeTurn?.({
          turn: Number(given['turn']),
          accumulatedTurns: Number(given['accumulatedTurns'] ?? given['turn']),
          messages: listOf(given['messages']),
          sessionUsage: given['usage'],
          cwd: CWD,
        }),
        () => ALLOW,
      );
    case 'preModelCall':
      return decideCall(hooks, given);
    case 'preToolUse':
      return decideTool(hooks, given);
    case 'postToolUse':
      return decideResult(hooks, given);
    case 'postTurn':
      return whenSettled(
        hooks.afterTurn?.({
          turn: Number(given['turn']),
          lastMessage: given['lastMessage'] ?? { role: 'assistant', content: given['output'] },
          cwd: CWD,
        }),
        () => ALLOW,
      );
    default:
      return ALLOW;
  }
}

function decideCall({ beforeProviderCall: hook }: HookObject, given: Payload): unknown {
  if (hook === undefined) return ALLOW;
  const { messages, systemPrompt, tools, toolChoice } = given;
  // As texts, before a hook can change what lies in them.
  const before = textsOf({ messages, systemPrompt, tools, toolChoice });
  const answer = hook({
    messages: listOf(messages),
    systemPrompt: textIn(given, 'systemPrompt'),
    tools: listOf(tools),
    cwd: CWD,
  });
  return whenSettled(answer, (settled) => {
    const after: Payload = { ...requestOf(settled) };
    const texts = textsOf(after);
    const changes = Object.entries(after).filter(([key]) => texts[key] !== before[key]);
    return changes.length === 0
      ? ALLOW
      : { action: 'modify', payload: Object.fromEntries(changes) };
  });
}

function decideTool({ beforeToolExecution: hook }: HookObject, given: Payload): unknown {
  if (hook === undefined) return ALLOW;
  const input = given['args'];
  const before = JSON.stringify(input);
  const answer = hook({
    toolName: textIn(given, 'toolName'),
    input,
    toolUseId: textIn(given, 'toolCallId'),
    cwd: CWD,
  });
  return whenSettled(answer, (settled) => {
    const decision = gated(gateOf(settled));
    if (decision !== undefined) return decision;
    // A hook may have changed the arguments where they lie.
    return JSON.stringify(input) === before
      ? ALLOW
      : { action: 'modify', payload: { args: input } };
  });
}

/** What an answer makes of a call; `undefined` when it runs. */
function gated(gate: ToolGate | undefined): Decision | undefined {
  if (gate === undefined) return undefined;
  if (gate.steer === true) return { action: 'rework', feedback: gate.feedback || STEERED };
  if (!gate.authorize) {
    return { action: 'block', reason: gate.mockResult ?? gate.result ?? REFUSED };
  }
  return gate.mockResult === undefined ? undefined : { action: 'result', result: gate.mockResult };
}

function decideResult({ afterToolExecution: hook }: HookObject, given: Payload): unknown {
  if (hook === undefined) return ALLOW;
  const { args, result, durationMs, isError } = given;
  const output = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  const answer = hook({
    toolName: textIn(given, 'toolName'),
    input: args,
    output,
    durationMs: Number(durationMs ?? 0),
    isError: isError === true,
    cwd: CWD,
  });
  return whenSettled(answer, (settled) => {
    const text = textOf(settled) ?? output;
    return text === output ? ALLOW : { action: 'modify', payload: { result: text } };
  });
}

function textsOf(payload: Payload): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, JSON.stringify(value)]),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function textIn(payload: Payload, key: string): string {
  const value = payload[key];
  return typeof value === 'string' ? value : '';
}
