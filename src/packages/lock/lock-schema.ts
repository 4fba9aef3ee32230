import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseCapability } from '../../../sdk/capabilities.ts';
import { FAIL_POLICIES, MANIFEST_SCHEMA } from '../../../sdk/manifest.ts';
import { POINT_NAMES } from '../../../sdk/points.ts';
import type { JsonPath } from '../../config/json-text.ts';
import { printable } from '../../config/printable.ts';
import type { LockFile } from './lock-file.ts';

const TEXT = { type: 'string', maxLength: 4096 } as const;
const HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const TEXTS = { type: 'array', items: TEXT, maxItems: 1000 } as const;
const INTEGRITY = {
  type: 'string',
  pattern: '^sha(?:1|256|384|512)-[A-Za-z0-9+/=]+',
  maxLength: 1024,
} as const;

const DEPENDENCY = {
  type: 'object',
  properties: { version: TEXT, resolved: TEXT, integrity: INTEGRITY },
  required: ['version', 'integrity'],
} as const;

const HOOK = {
  type: 'object',
  properties: {
    capabilities: TEXTS,
    points: { type: 'array', items: { enum: POINT_NAMES }, minItems: 1 },
    failPolicy: { enum: FAIL_POLICIES },
    bundle: HASH,
  },
  required: ['capabilities', 'points', 'bundle'],
} as const;

const PACKAGE = {
  type: 'object',
  properties: {
    version: TEXT,
    spec: TEXT,
    resolved: TEXT,
    integrity: INTEGRITY,
    bundle: HASH,
    bundler: TEXT,
    hooks: {
      type: 'object',
      propertyNames: { pattern: MANIFEST_SCHEMA.properties.name.pattern },
      additionalProperties: HOOK,
    },
    consent: {
      type: 'object',
      properties: { capabilities: TEXTS, by: TEXT, at: TEXT },
      required: ['capabilities', 'by', 'at'],
    },
    provenance: { type: 'object' },
    dependencies: { type: 'object', additionalProperties: DEPENDENCY },
  },
  required: ['version', 'integrity', 'bundle', 'hooks', 'consent'],
} as const;

const ENTRY = {
  type: 'object',
  properties: {
    seq: { type: 'integer', minimum: 1 },
    at: TEXT,
    by: TEXT,
    action: { enum: ['add', 'update', 'remove', 'consent', 'revoke'] },
    package: TEXT,
    version: TEXT,
    detailHash: HASH,
    previous: { type: 'string', pattern: '^(?:[0-9a-f]{64})?$' },
    hash: HASH,
  },
  required: ['seq', 'at', 'by', 'action', 'package', 'version', 'detailHash', 'previous', 'hash'],
  additionalProperties: false,
} as const;

const LOCK_SCHEMA = {
  type: 'object',
  properties: {
    lockfileVersion: { const: 1 },
    packages: { type: 'object', additionalProperties: PACKAGE },
    history: { type: 'array', items: ENTRY },
  },
  required: ['lockfileVersion', 'packages', 'history'],
  additionalProperties: false,
} as const;

/** The first thing that is wrong with the value of a runtime.lock.json, or `undefined`. */
export function findLockFault(
  value: unknown,
): { readonly path: JsonPath; readonly detail: string } | undefined {
  const ajv = new Ajv2020({
    strict: true,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  const validate = ajv.compile(LOCK_SCHEMA);
  if (!validate(value)) {
    const [error] = validate.errors ?? [];
    const path = (error?.instancePath ?? '').split('/').slice(1).map(unescapePointer);
    return { path: numbered(path), detail: error?.message ?? 'does not fit its schema' };
  }
  for (const [name, { hooks }] of Object.entries((value as LockFile).packages)) {
    for (const [hook, { capabilities }] of Object.entries(hooks)) {
      const unknown = capabilities.find((text) => parseCapability(text) === undefined);
      if (unknown === undefined) continue;
      const detail = `unknown capability "${printable(unknown, 80)}"`;
      return { path: ['packages', name, 'hooks', hook, 'capabilities'], detail };
    }
  }
  return undefined;
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Parts that are indexes of lists; no key of a lock file that holds a list's place is a number. */
function numbered(path: readonly string[]): JsonPath {
  return path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
