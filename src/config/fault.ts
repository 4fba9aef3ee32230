import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import semver from 'semver';
import { CAPABILITIES, parseCapability } from '../../sdk/capabilities.ts';
import { MANIFEST_SCHEMA } from '../../sdk/manifest.ts';
import { RUNTIME_SCHEMA } from '../../sdk/runtime-schema.ts';
import { packageKind } from './package-kind.ts';
import type { JsonPath } from './json-text.ts';
import { suggestion } from './nearest.ts';
import { printable } from './printable.ts';
import type { RuntimeFile } from './runtime-file.ts';

/** What is wrong with a configuration, and where. */
export interface ConfigFault {
  readonly path: JsonPath;
  readonly detail: string;
}

const HOOK_NAME = new RegExp(MANIFEST_SCHEMA.properties.name.pattern);

/** The schema is ours and a test holds it against the meta-schema. To optimise code that runs once takes longer than it saves. */
const OPTIONS: Options = {
  strict: true,
  verbose: true,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
};

/** Whether a value fits, looked at with the part of the schema that is about its keys: to compile the rest takes most of the time. */
function isFit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { properties } = RUNTIME_SCHEMA;
  const used = Object.entries(properties).filter(([key]) => Object.hasOwn(value, key));
  const schema = { ...RUNTIME_SCHEMA, properties: Object.fromEntries(used) };
  return new Ajv2020(OPTIONS).compile(schema)(value) === true;
}

/** The first thing that is wrong with the value of a runtime.json, or `undefined`. Never echoes a token. */
export function findConfigFault(value: unknown): ConfigFault | undefined {
  if (!isFit(value)) {
    const validate = new Ajv2020(OPTIONS).compile(RUNTIME_SCHEMA);
    if (!validate(value)) return worst(validate.errors ?? [], value);
  }
  for (const [index, entry] of ((value as RuntimeFile).packages ?? []).entries()) {
    const fault =
      typeof entry === 'string' ? findEntryFault({ package: entry }) : findEntryFault(entry);
    if (fault === undefined) continue;
    const path = typeof entry === 'string' ? [] : fault.path;
    return { path: ['packages', index, ...path], detail: fault.detail };
  }
  return findTrustFault(value as RuntimeFile) ?? findTokenFault(value as RuntimeFile);
}

/** What the server calls those who came with `server.token`, and those of this machine where there is no token. */
const OWN_NAMES = ['token', 'local'];

/** Records say by the name of a token who did something: it must be one alone. */
function findTokenFault({ server }: RuntimeFile): ConfigFault | undefined {
  const seen = new Set<string>();
  for (const [index, { name }] of (server?.tokens ?? []).entries()) {
    const path = ['server', 'tokens', index, 'name'];
    // Nobody reads records for capital letters.
    const read = name.trim().toLowerCase();
    if (OWN_NAMES.includes(read)) return { path, detail: 'is a name that the server itself gives' };
    if (seen.has(read)) return { path, detail: 'is the name of another token' };
    seen.add(read);
  }
  return undefined;
}

/** A block that matches nothing by a slip would let run what it was written against. */
function findTrustFault({ trust }: RuntimeFile): ConfigFault | undefined {
  for (const [index, block] of (trust?.block ?? []).entries()) {
    const path = ['trust', 'block', index];
    if (block.package === undefined && block.hash === undefined) {
      return { path, detail: 'must name a package or a hash' };
    }
    if (block.version !== undefined && semver.validRange(block.version) === null) {
      return { path: [...path, 'version'], detail: 'must be a semver range such as "<1.2.0"' };
    }
  }
  return undefined;
}

type WrittenEntry = Exclude<NonNullable<RuntimeFile['packages']>[number], string>;

/** What the schema cannot say of an entry of `packages`. */
function findEntryFault(entry: WrittenEntry): ConfigFault | undefined {
  if (packageKind(entry.package) === undefined) {
    const detail = 'must be a package name, or a folder or tarball such as "./guards"';
    return { path: ['package'], detail };
  }
  if (entry.version !== undefined && semver.validRange(entry.version) === null) {
    return { path: ['version'], detail: 'must be a semver range such as "^1.2.0"' };
  }
  for (const [index, selector] of (entry.use ?? []).entries()) {
    if (!/^!?[A-Za-z]+\.\S+$/.test(selector)) {
      return {
        path: ['use', index],
        detail: 'must be "hooks.<name>", "hooks.*" or "!hooks.<name>"',
      };
    }
  }
  for (const [hook, name] of Object.entries(entry.as ?? {})) {
    if (!HOOK_NAME.test(name) || name.length > 128) {
      return { path: ['as', hook], detail: 'must be letters, digits, ".", "_" and "-"' };
    }
  }
  for (const [index, grant] of (entry.grants ?? []).entries()) {
    if (parseCapability(grant) === undefined) {
      const detail = `unknown capability "${printable(grant, 80)}"`;
      return {
        path: ['grants', index],
        detail: detail + suggestion(grant, Object.keys(CAPABILITIES)),
      };
    }
  }
  return undefined;
}

/** An error of ajv with its place in the value. */
interface Complaint {
  readonly path: JsonPath;
  readonly error: ErrorObject;
}

/** The error that says most: the deepest; of a choice, not that the value is none of the other types. */
function worst(errors: readonly ErrorObject[], value: unknown): ConfigFault {
  const complaints: Complaint[] = errors
    .filter((error) => error.keyword !== 'anyOf')
    .map((error) => ({ path: pathOf(error, value), error }));
  const isType = ({ error }: Complaint): boolean => error.keyword === 'type';
  const ranked = [...complaints.filter((item) => !isType(item)), ...complaints.filter(isType)];
  const [deepest] = ranked.sort((a, b) => b.path.length - a.path.length);
  if (deepest === undefined) return { path: [], detail: 'does not fit its schema' };
  if (!isType(deepest)) return { path: deepest.path, detail: detailOf(deepest.error) };
  const { instancePath } = deepest.error;
  const same = complaints.filter(
    (item) => isType(item) && item.error.instancePath === instancePath,
  );
  const types = new Set(same.map(({ error }) => String(error.params['type'])));
  return { path: deepest.path, detail: `must be ${[...types].join(' or ')}` };
}

function detailOf(error: ErrorObject): string {
  if (error.keyword === 'additionalProperties') {
    const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
    return `unknown key${suggestion(String(error.params['additionalProperty']), known)}`;
  }
  if (error.keyword === 'enum') {
    const allowed = (error.params['allowedValues'] as unknown[]).map(String);
    const near = typeof error.data === 'string' ? suggestion(error.data, allowed) : '';
    return `must be one of ${allowed.join(', ')}${near}`;
  }
  if (error.keyword === 'required') return `lacks "${String(error.params['missingProperty'])}"`;
  return error.message ?? 'does not fit its schema';
}

/** The path of an error's JSON pointer, an unknown key included; in arrays the parts are numbers. */
function pathOf(error: ErrorObject, root: unknown): (string | number)[] {
  const path: (string | number)[] = [];
  let value = root;
  for (const part of error.instancePath.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(key) : key);
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  if (error.keyword === 'additionalProperties') {
    path.push(String(error.params['additionalProperty']));
  }
  return path;
}
