import { CAPABILITIES, parseCapability } from './capabilities.ts';
import { misfit } from './check-value.ts';
import { readPorts, type Ports } from './contracts/agent-os-ports.ts';
import type { FromSchema, ObjectSchema } from './json-schema.ts';
import { DEFAULT_PRIORITY, LIMITS } from './limits.ts';
import { isPoint, POINT_NAMES, POINTS, type Point } from './points.ts';

/** The contracts whose module shapes a hook may have. */
export const CONTRACT_NAMES = [
  'signalbox',
  'amplifier',
  'agent-os',
  'standard-agents',
  'harness',
] as const;

/** What happens when a hook fails: block, allow, or block and end the run. */
export const FAIL_POLICIES = ['closed', 'open', 'abort'] as const;

/** A value of {@link FAIL_POLICIES}. */
export type FailPolicy = (typeof FAIL_POLICIES)[number];

const TEXT = { type: 'string' } as const;
const NAMES = { type: 'array', items: TEXT, uniqueItems: true } as const;
const CONDITION = {
  type: 'object',
  properties: { users: NAMES, sessions: NAMES, agents: NAMES, templates: NAMES },
  additionalProperties: false,
} as const;

/** The JSON Schema of hook.json. Unknown keys are told apart by {@link parseManifest}: descriptive ones pass. */
export const MANIFEST_SCHEMA = {
  $id: 'https://signalbox.dev/schemas/hook.json',
  title: 'hook.json',
  description: 'What a hook binds to and what it may do',
  type: 'object',
  properties: {
    $schema: TEXT,
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      description: 'Unique among the hooks of a runtime',
    },
    points: { type: 'array', items: { enum: POINT_NAMES }, minItems: 1, uniqueItems: true },
    capabilities: { type: 'array', items: TEXT, uniqueItems: true, default: [] },
    failPolicy: { enum: FAIL_POLICIES },
    priority: { type: 'number', description: 'Lower runs earlier', default: DEFAULT_PRIORITY },
    timeoutMs: { type: 'integer', minimum: 1, maximum: LIMITS.maxTimeoutMs },
    maxMatchChars: {
      type: 'integer',
      minimum: 1,
      maximum: LIMITS.maxMatchChars,
      description:
        'The longest stretch that decides at preOutput, with what is looked at around it: answers may be shown in pieces that were looked at',
    },
    memoryMb: { type: 'integer', minimum: 8, maximum: LIMITS.maxMemoryMb },
    config: { type: 'object' },
    configSchema: { type: 'object' },
    label: TEXT,
    description: TEXT,
    contract: { enum: CONTRACT_NAMES, default: 'signalbox' },
    sdk: { ...TEXT, description: 'Semver range of the sdk major that the hook was written for' },
    inputs: NAMES,
    outputs: NAMES,
    ports: { type: 'object', description: 'Bag keys by the names that the hook gives them' },
    when: CONDITION,
    global: { type: 'boolean' },
    enabled: { type: 'boolean', default: true },
  },
  required: ['name', 'points'],
} as const satisfies ObjectSchema;

/** Keys of a manifest that only describe, beside those of the schema: they change nothing. */
const DESCRIPTIVE_KEYS = [
  'version',
  'author',
  'license',
  'homepage',
  'tags',
  'keywords',
  'icon',
  'category',
  'title',
  'summary',
  'docs',
  'examples',
  'notes',
  'comment',
  '$comment',
];

/** A manifest as it was written and found valid, with defaults filled in. */
export interface Manifest extends Omit<FromSchema<typeof MANIFEST_SCHEMA>, 'points' | 'ports'> {
  readonly points: Point[];
  readonly capabilities: string[];
  readonly priority: number;
  readonly contract: (typeof CONTRACT_NAMES)[number];
  readonly enabled: boolean;
  readonly ports?: Ports;
}

/** A manifest, or what is wrong with it and at which key. */
export type ParsedManifest =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly key: string; readonly detail: string };

/** Reads the value of a hook.json. Unknown points, capabilities and keys that could change behaviour are errors. */
export function parseManifest(value: unknown): ParsedManifest {
  const shape = misfit(value, { type: 'object' }, 'the manifest');
  if (shape !== undefined) return { ok: false, key: '', detail: shape };
  const read = readPorts(value as Readonly<Record<string, unknown>>);
  if (!read.ok) return read;
  const { given } = read;
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(MANIFEST_SCHEMA.properties, key) || isDescriptive(key)) continue;
    return { ok: false, key, detail: `unknown key "${key}"` };
  }
  for (const [key, schema] of Object.entries(MANIFEST_SCHEMA.properties)) {
    if (given[key] === undefined) {
      if ((MANIFEST_SCHEMA.required as readonly string[]).includes(key))
        return { ok: false, key, detail: `"${key}" is missing` };
      continue;
    }
    const detail = misfit(given[key], schema, `"${key}"`) ?? misfitKey(key, given[key]);
    if (detail !== undefined) return { ok: false, key, detail };
  }
  return {
    ok: true,
    // Its schema has passed what is given.
    manifest: {
      capabilities: [],
      priority: DEFAULT_PRIORITY,
      contract: 'signalbox',
      enabled: true,
      ...given,
    } as unknown as Manifest,
  };
}

/** What the schema cannot say, key by key. */
function misfitKey(key: string, value: unknown): string | undefined {
  if (key === 'name') {
    const isName = new RegExp(MANIFEST_SCHEMA.properties.name.pattern).test(value as string);
    return isName ? undefined : '"name" must be letters, digits, ".", "_" and "-"';
  }
  if (key === 'points') {
    const unknown = (value as string[]).find((point) => !isPoint(point));
    return unknown === undefined ? undefined : `unknown point "${unknown}"`;
  }
  if (key === 'capabilities') {
    const unknown = (value as string[]).find((text) => parseCapability(text) === undefined);
    const known = Object.keys(CAPABILITIES).join(', ');
    return unknown === undefined ? undefined : `unknown capability "${unknown}"; known: ${known}`;
  }
  return undefined;
}

function isDescriptive(key: string): boolean {
  return DESCRIPTIVE_KEYS.includes(key) || key.startsWith('x-');
}

/** The policy of a hook at a point: the operator's, else the manifest's, else the point's own. */
export function failPolicyOf(
  point: Point,
  manifest: Pick<Manifest, 'failPolicy'>,
  override?: FailPolicy,
): FailPolicy {
  return override ?? manifest.failPolicy ?? POINTS[point].failPolicy;
}
