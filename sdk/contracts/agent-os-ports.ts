import type { Schema } from '../json-schema.ts';

const TEXT = { type: 'string', minLength: 1 } as const;

/** The JSON Schema of `inputs` as manifests of agent-os write them. */
export const INPUT_PORTS = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      from: TEXT,
      default: {},
      required: { type: 'boolean' },
      doc: { type: 'string' },
      description: { type: 'string' },
    },
    additionalProperties: false,
  },
} as const satisfies Schema;

/** The JSON Schema of `outputs` as manifests of agent-os write them. */
export const OUTPUT_PORTS = {
  type: 'array',
  items: { anyOf: [TEXT, { type: 'object', properties: { key: TEXT }, required: ['key'] }] },
} as const satisfies Schema;

/** A value of the bag that a hook reads under a name of its own. */
export interface Port {
  /** Key of the bag. */
  readonly from: string;
  /** What the hook reads when nobody published the key. */
  readonly default?: unknown;
  /** Without a value and a default, the hook is not called. */
  readonly required: boolean;
}

/** The ports of a hook by name. */
export type Ports = Readonly<Record<string, Port>>;

/** A manifest whose `inputs` and `outputs` are lists of bag keys, or what is wrong with them. */
type ReadPorts =
  | { readonly ok: true; readonly given: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly key: string; readonly detail: string };

type Given = Readonly<Record<string, unknown>>;

/** The key that a name without a dot stands for: it belongs to its hook. */
export function bagKey(hook: string, name: string): string {
  return name.includes('.') ? name : `${hook}.${name}`;
}

/**
 * Reads the ports of an agent-os manifest: `inputs: {port: {from, default, required}}` and `outputs: [key or {key, doc}]`
 * become lists of bag keys and `ports`. Other manifests come back as they are.
 */
export function readPorts(given: Given): ReadPorts {
  const { contract, outputs, ports: known } = given;
  if (contract !== 'agent-os' && known !== undefined) {
    return { ok: false, key: 'ports', detail: '"ports" belongs to the contract "agent-os"' };
  }
  if (contract !== 'agent-os') return { ok: true, given };
  // A manifest that was read before and kept has them apart.
  const inputs = known ?? given['inputs'];
  const hook = typeof given['name'] === 'string' ? given['name'] : '';
  const read: Record<string, unknown> = { ...given };
  if (isObject(inputs)) {
    const ports: [string, Port][] = [];
    for (const [name, port] of Object.entries(inputs)) {
      const made = portOf(hook, name, port);
      if (typeof made === 'string') return { ok: false, key: 'inputs', detail: made };
      ports.push([name, made]);
    }
    read['inputs'] = [...new Set(ports.map(([, { from }]) => from))];
    // fromEntries defines properties, so that a port "__proto__" stays a plain key.
    read['ports'] = Object.fromEntries(ports);
  }
  if (Array.isArray(outputs)) {
    const keys = outputs.map((item: unknown) => (isObject(item) ? item['key'] : item));
    const isNamed = keys.every((key) => typeof key === 'string' && key !== '');
    if (!isNamed)
      return { ok: false, key: 'outputs', detail: 'an output is a key, or an object with a key' };
    read['outputs'] = [...new Set((keys as string[]).map((key) => bagKey(hook, key)))];
  }
  return { ok: true, given: read };
}

function portOf(hook: string, name: string, port: unknown): Port | string {
  if (!isObject(port)) return `input "${name}" must be an object {from, default, required}`;
  const stray = Object.keys(port).find((key) => !PORT_KEYS.includes(key));
  if (stray !== undefined) return `input "${name}" has the unknown key "${stray}"`;
  const { from = name, required = false } = port;
  if (typeof from !== 'string' || from === '') return `"from" of input "${name}" must be a key`;
  if (typeof required !== 'boolean') return `"required" of input "${name}" must be a boolean`;
  const hasDefault = Object.hasOwn(port, 'default');
  return { from: bagKey(hook, from), required, ...(hasDefault && { default: port['default'] }) };
}

const PORT_KEYS = Object.keys(INPUT_PORTS.additionalProperties.properties);

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
