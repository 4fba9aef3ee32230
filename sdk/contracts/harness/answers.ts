import { misfit } from '../../check-value.ts';
import type { Schema } from '../../json-schema.ts';
import type { ProviderRequest, ToolGate } from './hook-object.ts';

const TEXT: Schema = { type: 'string' };

const GATE: Schema = {
  type: 'object',
  properties: {
    mockResult: TEXT,
    result: TEXT,
    steer: { type: 'boolean' },
    feedback: TEXT,
  },
};

const REQUEST: Schema = {
  type: 'object',
  properties: {
    messages: { type: 'array' },
    systemPrompt: TEXT,
    tools: { type: 'array' },
    toolChoice: { enum: ['auto', 'none', 'required'] },
  },
};

/** An answer that is none of its hook. */
export class BadAnswer extends TypeError {}

/** Reads an answer of `beforeToolExecution`; without one the call is authorized, and so it must say itself. Throws. */
export function gateOf(answer: unknown): ToolGate | undefined {
  if (answer === undefined || answer === null) return undefined;
  hold(withoutGaps(answer), GATE, 'beforeToolExecution');
  const gate = answer as ToolGate;
  return { ...gate, authorize: Boolean(gate.authorize) };
}

/** Reads an answer of `beforeProviderCall`: the request, or the messages alone. Throws for anything else. */
export function requestOf(answer: unknown): ProviderRequest | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (Array.isArray(answer)) {
    const { systemPrompt, tools } = answer as Partial<ProviderRequest>;
    // The messages came with their context on them, and may have been changed there.
    const messages = [...(answer as unknown[])];
    return withoutGaps({ messages, systemPrompt, tools }) as ProviderRequest;
  }
  const given = withoutGaps(answer);
  hold(given, REQUEST, 'beforeProviderCall');
  const { messages, systemPrompt, tools, toolChoice } = given as Partial<ProviderRequest>;
  return withoutGaps({ messages, systemPrompt, tools, toolChoice }) as ProviderRequest;
}

/** Reads an answer of `afterToolExecution`. Throws for anything but a text. */
export function textOf(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  hold(answer, TEXT, 'afterToolExecution');
  return answer as string;
}

function hold(answer: unknown, schema: Schema, hook: string): void {
  const problem = misfit(answer, schema, `the answer of ${hook}`);
  if (problem !== undefined) throw new BadAnswer(problem);
}

/** An object without the keys whose value is `undefined`; any other value as it is. */
function withoutGaps<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  // Only keys without a value are gone.
  return Object.fromEntries(entries) as T;
}
