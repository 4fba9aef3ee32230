import { hash, timingSafeEqual } from 'node:crypto';

import { SignalboxError } from '../../sdk/errors.ts';
import type { TokenSettings } from '../config/runtime-config.ts';
import type { ApiCaller } from './roles.ts';

/** A token that opens a server. */
export interface ServerToken {
  readonly caller: ApiCaller;
  /** SHA-256 of the token. */
  readonly digest: Buffer;
}

/** Fewer characters could be guessed over the network. */
const MIN_LENGTH = 16;

/** The token that is in the environment or configuration as a whole; it may do everything. */
function wholeToken(token: string): ServerToken {
  return { caller: { name: 'token', role: 'admin' }, digest: digestOf(token) };
}

/** Reads `server.tokens`. Throws `token_unusable` for one that has no value: a server must not open because a variable is missing. */
export function readTokens(
  settings: readonly TokenSettings[],
  env: Readonly<Record<string, string | undefined>>,
): readonly ServerToken[] {
  return settings.map(({ name, role, ...source }) => {
    const caller = { name, role };
    if (source.sha256 !== undefined) {
      return { caller, digest: Buffer.from(source.sha256, 'hex') };
    }
    const { env: variable = '' } = source;
    const token = env[variable] ?? '';
    if (token === '') throw unusable(name, `${variable} is not set`);
    if (token.length < MIN_LENGTH) {
      throw unusable(name, `${variable} has fewer than ${MIN_LENGTH} characters`);
    }
    return { caller, digest: digestOf(token) };
  });
}

/** The tokens that a server knows now. */
export interface Keyring {
  tokens(): readonly ServerToken[];
  /** Whether it knows or ever knew a token: then nobody gets in without one, even when the last is taken away. */
  isGuarded(): boolean;
  /** Whether a caller that got in would still. */
  knows(caller: ApiCaller | undefined): boolean;
}

/** A keyring of one token for everything, if there is one, and of those that `others` gives at the moment. */
export function createKeyring(
  whole: string | undefined,
  others: () => readonly ServerToken[] = () => NONE,
): Keyring {
  const first = whole === undefined || whole === '' ? NONE : [wholeToken(whole)];
  let from: readonly ServerToken[] = NONE;
  let all: readonly ServerToken[] = first;
  let isGuarded = first.length > 0;
  const tokens = (): readonly ServerToken[] => {
    const now = others();
    if (now === from) return all;
    from = now;
    const before = all;
    // What did not change stays the same object, so that whoever got in with it is still known.
    all = [...first, ...now.map((token) => before.find((old) => isSame(old, token)) ?? token)];
    isGuarded ||= all.length > 0;
    return all;
  };
  return {
    tokens,
    isGuarded() {
      tokens();
      return isGuarded;
    },
    knows: (caller) => tokens().some((token) => token.caller === caller) || !isGuarded,
  };
}

const NONE: readonly ServerToken[] = [];

function isSame(one: ServerToken, other: ServerToken): boolean {
  const { name, role } = one.caller;
  const isSameCaller = name === other.caller.name && role === other.caller.role;
  return isSameCaller && timingSafeEqual(one.digest, other.digest);
}

/**
 * Follows `server.tokens` of a configuration that may be replaced. Throws `token_unusable` at first; later, tokens that
 * cannot be read are told to `onFault` and let nobody in.
 */
export function followTokens(
  settings: () => readonly TokenSettings[],
  env: Readonly<Record<string, string | undefined>>,
  onFault: (error: unknown) => void,
): () => readonly ServerToken[] {
  let read = settings();
  let tokens = readTokens(read, env);
  return () => {
    const now = settings();
    if (now === read) return tokens;
    read = now;
    try {
      tokens = readTokens(now, env);
    } catch (error) {
      tokens = [];
      onFault(error);
    }
    return tokens;
  };
}

/** Whose token this is. Takes as long for a wrong one as for a right one. */
export function callerOf(tokens: readonly ServerToken[], token: string): ApiCaller | undefined {
  const digest = digestOf(token);
  let found: ServerToken | undefined;
  for (const known of tokens) {
    if (timingSafeEqual(known.digest, digest)) found = known;
  }
  return found?.caller;
}

/** Digests are of one length, so that a comparison tells nothing of the token's. */
function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function unusable(token: string, detail: string): SignalboxError {
  return new SignalboxError('token_unusable', { token, detail });
}
