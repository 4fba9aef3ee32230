import { BridgeError, countProblem } from './refusal.ts';
import type { BridgeRow } from './row.ts';

/** Secrets by name, as the operator keeps them. */
export interface SecretPort {
  /** The value, or `undefined` where the operator set none. */
  read(name: string): Promise<string | undefined>;
  /** The text without any value that was ever read. */
  scrub(text: string): string;
}

/** `ctx.secret(name)`. */
export const SECRET_BRIDGES = {
  secret: {
    capability: 'secrets',
    credit: 'secretCalls',
    effect: 'none',
    problem: (args) => countProblem(args, 1, 1) ?? nameProblem(args[0]),
    scope: (args) => args[0] as string,
    perform: ({ secrets }, args) => secrets && readSecret(secrets, args[0] as string),
  },
} as const satisfies Readonly<Record<string, BridgeRow>>;

async function readSecret(secrets: SecretPort, name: string): Promise<string> {
  const value = await secrets.read(name);
  // Not null: a hook that forgets to look would send "Bearer null".
  if (value === undefined) throw new BridgeError('unavailable', 'The secret is not set');
  return value;
}

/** A secret is named as a capability's scope is, so that no name reaches out of a folder. */
function nameProblem(value: unknown): string | undefined {
  const isPlain =
    typeof value === 'string' && value.length <= 253 && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(value);
  return isPlain ? undefined : 'the name must be a plain name';
}
