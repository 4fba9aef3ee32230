import { misfit } from '../../sdk/check-value.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Schema } from '../../sdk/json-schema.ts';
import { RUNTIME_SCHEMA } from '../../sdk/runtime-schema.ts';
import type { RuntimeFile } from './runtime-file.ts';

/** A setting of runtime.json that a variable can say instead. */
export interface EnvironmentSetting {
  readonly variable: string;
  readonly part: keyof RuntimeFile;
  readonly key: string;
  readonly schema: Schema;
}

/** The parts that differ from machine to machine; what hooks may do is for the file and its reviews alone. */
const PARTS = [
  'limits',
  'store',
  'records',
  'server',
  'secrets',
  'approvals',
  'telemetry',
] as const satisfies readonly (keyof RuntimeFile)[];

/** The one that had a name before. */
const NAMED: Readonly<Record<string, string>> = { 'server.token': 'SIGNALBOX_TOKEN' };

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

/** Every setting with a variable, in the order of the schema: each key of these parts that is one plain value. */
export const ENVIRONMENT: readonly EnvironmentSetting[] = PARTS.flatMap((part) => {
  const properties: Readonly<Record<string, Schema>> = RUNTIME_SCHEMA.properties[part].properties;
  return Object.entries(properties)
    .filter(([, schema]) => isPlain(schema))
    .map(([key, schema]) => ({ variable: variableOf(part, key), part, key, schema }));
});

type Environment = Readonly<Record<string, string | undefined>>;

/** A runtime.json with what variables say in place of its own. Throws `environment_invalid`. */
export function withEnvironment(file: RuntimeFile, env: Environment): RuntimeFile {
  const whole: Record<string, unknown> = { ...file };
  for (const { variable, part, key, schema } of ENVIRONMENT) {
    const text = env[variable];
    if (text === undefined || text === '') continue;
    const value = valueOf(text, schema);
    const detail = misfitOf(value, schema);
    if (detail !== undefined) throw new SignalboxError('environment_invalid', { variable, detail });
    whole[part] = { ...(whole[part] as object | undefined), [key]: value };
  }
  // Each value was held against the schema of its key.
  return whole as RuntimeFile;
}

function variableOf(part: string, key: string): string {
  const name = `${part}.${key}`;
  const words = name.replace('.', '_').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return NAMED[name] ?? `SIGNALBOX_${words.toUpperCase()}`;
}

function isPlain(schema: Schema): boolean {
  return schema.enum !== undefined || PLAIN.has(formOf(schema).type ?? '');
}

/** The form of a value that is not lifted. */
function formOf(schema: Schema): Schema {
  return schema.anyOf?.[0] ?? schema;
}

function isLiftable({ anyOf }: Schema): boolean {
  return anyOf?.some(({ type }) => type === 'null') === true;
}

function valueOf(text: string, schema: Schema): unknown {
  if (text === 'none' && isLiftable(schema)) return null;
  const { type } = formOf(schema);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = type === 'integer' || type === 'number';
  return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function misfitOf(value: unknown, schema: Schema): string | undefined {
  if (value === null && isLiftable(schema)) return undefined;
  return misfit(value, formOf(schema), 'it');
}
