import type { HookObject } from './hook-object.ts';

/** How a list of allowed tools speaks and what it always lets pass. */
export interface ToolPolicyOptions {
  readonly alwaysAllow?: readonly string[];
  /** The text that the model reads; the name of the tool is given to a function. */
  readonly denyMessage?: string | ((toolName: string) => string);
}

/** Reads a list such as `read, bash , grep`; `null` when it names nothing. */
export function parseAllowedTools(text: string): string[] | null {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length === 0 ? null : names;
}

/** A hook that lets only the listed tools run. */
export function restrictToolsHook(
  allowed: readonly string[],
  { alwaysAllow = [], denyMessage }: ToolPolicyOptions = {},
): NonNullable<HookObject['beforeToolExecution']> {
  const names = new Set([...allowed, ...alwaysAllow]);
  return ({ toolName }) => {
    if (names.has(toolName)) return { authorize: true };
    const standard = `Tool "${toolName}" is not in the active skill; allowed: ${[...names].join(', ')}`;
    const text = typeof denyMessage === 'function' ? denyMessage(toolName) : denyMessage;
    return { authorize: false, mockResult: text ?? standard };
  };
}
