import type { BridgeCode } from '../sandbox.ts';

/** An error whose message is meant for the hook. The text of every other error stays in the host. */
export class BridgeError extends Error {
  readonly code: BridgeCode;

  constructor(code: BridgeCode, message: string) {
    super(message);
    this.name = 'BridgeError';
    this.code = code;
  }
}

/** What is wrong with the number of arguments. */
export function countProblem(
  args: readonly unknown[],
  min: number,
  max: number,
): string | undefined {
  if (args.length >= min && args.length <= max) return undefined;
  return `takes ${min === max ? min : `${min} to ${max}`} arguments`;
}
