import { createHash, timingSafeEqual } from 'node:crypto';

import { SignalboxError } from '../../sdk/errors.ts';
import type { TokenSettings } from '../config/runtime-config.ts';
import type { ApiCaller } from './roles.ts';

/** A token that opens a server. */
export interface ServerToken extends ApiCaller {
  /** SHA-256 of the token. */
  readonly digest: Buffer;
}

/** Fewer characters could be guessed over the network. */
const MIN_LENGTH = 16;

/** The token that is in the environment or configuration as a whole; it may do everything. */
export function wholeToken(token: string): ServerToken {
  return { name: 'token', role: 'admin', digest: digestOf(token) };
}

/** Reads `server.tokens`. Throws `token_unusable` for one that has no value: a server must not open because a variable is missing. */
export function readTokens(
  settings: readonly TokenSettings[],
  env: Readonly<Record<string, string | undefined>>,
): readonly ServerToken[] {
  return settings.map(({ name, role, ...source }) => {
    if (source.sha256 !== undefined) {
      return { name, role, digest: Buffer.from(source.sha256, 'hex') };
    }
    const { env: variable = '' } = source;
    const token = env[variable] ?? '';
    if (token === '') throw unusable(name, `${variable} is not set`);
    if (token.length < MIN_LENGTH) {
      throw unusable(name, `${variable} has fewer than ${MIN_LENGTH} characters`);
    }
    return { name, role, digest: digestOf(token) };
  });
}

/** Whose token this is. Takes as long for a wrong one as for a right one. */
export function callerOf(tokens: readonly ServerToken[], token: string): ApiCaller | undefined {
  const digest = digestOf(token);
  let found: ServerToken | undefined;
  for (const known of tokens) {
    if (timingSafeEqual(known.digest, digest)) found = known;
  }
  return found === undefined ? undefined : { name: found.name, role: found.role };
}

/** Digests are of one length, so that a comparison tells nothing of the token's. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function unusable(token: string, detail: string): SignalboxError {
  return new SignalboxError('token_unusable', { token, detail });
}
