import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';

/** What npm's own error codes mean to the person who installs. */
const WORDS: Readonly<Record<string, string>> = {
  E401: 'the registry wants a login (401)',
  E403: 'the registry forbids it (403)',
  E404: 'the registry does not have it (404)',
  E429: 'the registry takes no more requests for now (429)',
  ETARGET: 'no published version fits',
  ENOVERSIONS: 'it has no published version',
  EINTEGRITY: 'what arrived is not what was announced: its hash differs',
  EINTEGRITYSIGNATURE: "the registry's signature does not hold",
  EEXPIREDSIGNATUREKEY: "the key of the registry's signature had expired",
  EMISSINGSIGNATUREKEY: 'the registry offers no key for its signature',
  EATTESTATIONSUBJECT: 'its attestation was made for another package',
  EATTESTATIONVERIFY: 'its attestation does not hold',
  EMANIFESTMISMATCH: 'the registry answers with another package',
  ECONNREFUSED: 'the registry cannot be reached (connection refused)',
  ECONNRESET: 'the registry broke the connection off',
  ENOTFOUND: 'the name of the registry cannot be resolved',
  EAI_AGAIN: 'the name of the registry cannot be resolved',
  ETIMEDOUT: 'the registry did not answer in time',
  ERR_SOCKET_TIMEOUT: 'the registry did not answer in time',
  FETCH_ERROR: 'the registry did not answer as HTTP',
  ENOENT: 'it is not there',
  ENOSPC: 'there is no room left on the disk',
  EACCES: 'it may not be read',
  ENOTCACHED: 'it is not in the npm cache, and npm is set to work offline',
  ENOGIT: 'git is not installed',
  E_GIT_UNKNOWN: 'git could not fetch it',
};

/** The `kind` of a `package_fetch` that `isMissing` tells. */
export const MISSING_KIND = 'missing';

/** The registry answered, and has no such package for this user. */
const MISSING: readonly string[] = ['E401', 'E403', 'E404', 'ETARGET', 'ENOVERSIONS'];

/**
 * Whether a package is not to be had, so that npm passes over it where it is optional. A registry that is down or sends
 * other bytes is none of it: what is locked must not hang on a bad moment.
 */
export function isMissing(error: unknown): boolean {
  return error instanceof SignalboxError && error.data['kind'] === MISSING_KIND;
}

/** What npm's code says went wrong, in words; never the text of a URL, which may hold a token. */
export function fetchFailure(spec: string, error: unknown): SignalboxError {
  if (error instanceof SignalboxError) return error;
  const { code, type, statusCode } = error as {
    readonly code?: unknown;
    readonly type?: unknown;
    readonly statusCode?: unknown;
  };
  const name = [code, type].find((item) => typeof item === 'string') ?? 'unknown error';
  const kind = typeof type === 'string' ? type : '';
  const isServer = typeof statusCode === 'number' && statusCode >= 500;
  const isTimeout = /TIMEOUT|TIMEDOUT|request-timeout|body-timeout/i.test(`${name} ${kind}`);
  const isCut = /Z_BUF_ERROR|EBADSIZE|premature|aborted|TAR_/i.test(
    `${name} ${kind} ${messageOf(error)}`,
  );
  const detail = isServer
    ? `the registry failed (${statusCode})`
    : isTimeout
      ? 'the registry did not answer in time'
      : isCut
        ? 'the registry broke off before the end'
        : (WORDS[name] ?? `npm says ${printable(name, 40)}`);
  return new SignalboxError('package_fetch', {
    package: printable(spec, 200),
    detail,
    kind: MISSING.includes(name) ? MISSING_KIND : 'failed',
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
