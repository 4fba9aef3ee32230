import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from './capability-use.ts';

/** A file that the tarball would hold. */
export interface TarballFile {
  readonly path: string;
  readonly size: number;
}

const WARN_BYTES = 1024 * 1024;
const MAX_BYTES = 10 * 1024 * 1024;

/** Names of files that are no business of users, and why. */
const UNWANTED: readonly (readonly [RegExp, Finding['level'], string])[] = [
  [/(^|\/)\.env(\.|$)/, 'error', 'a file of secrets'],
  [
    /(^|\/)(\.npmrc|\.netrc|id_(rsa|ed25519|ecdsa)|credentials(\.json)?)$/,
    'error',
    'a file of secrets',
  ],
  [/\.(pem|key|p12|pfx|keystore)$/i, 'error', 'a key'],
  [
    /(^|\/)(test|tests|__tests__|spec)\//,
    'warning',
    'a test: list what is published under "files"',
  ],
  [/\.(test|spec)\.[cm]?[jt]s$/, 'warning', 'a test: list what is published under "files"'],
  [/(^|\/)\.signalbox\//, 'error', 'data of a test run'],
  [/\.tgz$/, 'warning', 'an older tarball'],
];

/** What secrets look like; the shapes are those that their issuers publish. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/, 'a private key'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\bgh[pousr]_[A-Za-z0-9]{36,}\b/, 'a GitHub token'],
  [/\bgithub_pat_[A-Za-z0-9_]{60,}/, 'a GitHub token'],
  [/\bnpm_[A-Za-z0-9]{36}\b/, 'an npm token'],
  [/\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}/, 'an API key of a model provider'],
  [/\bxox[abprs]-[A-Za-z0-9-]{10,}/, 'a Slack token'],
  [/\bAIza[0-9A-Za-z_-]{35}\b/, 'a Google API key'],
  [/\b[rs]k_live_[0-9A-Za-z]{20,}/, 'a Stripe key'],
];

/** Looks for secrets, tests and weight in what would be published. */
export async function checkTarballFiles(
  root: string,
  files: readonly TarballFile[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { path, size } of files) {
    const unwanted = UNWANTED.find(([pattern]) => pattern.test(path));
    if (unwanted !== undefined) {
      findings.push({ level: unwanted[1], place: path, text: `is ${unwanted[2]}` });
    }
    if (size > MAX_BYTES) continue;
    const text = await readFile(join(root, path), 'latin1').catch(() => '');
    const secret = SECRETS.find(([pattern]) => pattern.test(text));
    if (secret !== undefined) {
      findings.push({ level: 'error', place: path, text: `holds what looks like ${secret[1]}` });
    }
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > WARN_BYTES) {
    const level = bytes > MAX_BYTES ? 'error' : 'warning';
    const text = `unpacks to ${(bytes / 1024 / 1024).toFixed(1)} MB: every start reads it`;
    findings.push({ level, place: 'the tarball', text });
  }
  return findings;
}
