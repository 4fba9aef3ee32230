import { SignalboxError } from '../../sdk/errors.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { Edition } from './edition.ts';

/** One thing that a reload changed. */
export interface ConfigChange {
  readonly kind: 'hook' | 'setting';
  /** Of the hook, or the key of runtime.json. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/** What is told of a reload. */
export interface ReloadReport {
  readonly changed: readonly ConfigChange[];
  /** Keys of runtime.json whose changes hold after a restart alone. */
  readonly needsRestart: readonly string[];
}

/** What differs between two editions: hooks by name, then settings. */
export function changesBetween(before: Edition, after: Edition): readonly ConfigChange[] {
  const [old, young] = [entriesOf(before), entriesOf(after)];
  const hooks = [...new Set([...old.keys(), ...young.keys()])].flatMap((name): ConfigChange[] => {
    const [was, is] = [old.get(name), young.get(name)];
    if (was === is) return [];
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    return [{ kind: 'hook', name, change }];
  });
  const isReordered = textOf(sequenceOf(before, young)) !== textOf(sequenceOf(after, old));
  const settings = SETTINGS.filter(
    (key) =>
      textOf(settingOf(before, key)) !== textOf(settingOf(after, key)) ||
      (key === 'packages' && isReordered),
  ).map((name): ConfigChange => ({ kind: 'setting', name, change: 'changed' }));
  return [...hooks, ...settings];
}

/** What opens files or sockets is not among them: it is not changed while they are open. */
const SETTINGS = [
  'packages',
  'hooks',
  'limits',
  'fetch',
  'secrets',
  'approvals',
  'access',
  'agents',
  'budgets',
  'trust',
  'server',
] as const satisfies readonly (keyof RuntimeConfig)[];

const FIXED = ['store', 'records', 'telemetry'] as const satisfies readonly (keyof RuntimeConfig)[];

/** A configuration with what cannot change while the runtime runs as it is, and the keys that were held back. */
export function heldBack(
  now: RuntimeConfig,
  wanted: RuntimeConfig,
): { readonly config: RuntimeConfig; readonly needsRestart: readonly string[] } {
  const { tokens } = wanted.server;
  // Tokens are followed; the rest of a server that listens stays as it is.
  const isHeld = textOf({ ...now.server, tokens }) !== textOf(wanted.server);
  const needsRestart = FIXED.filter((key) => textOf(now[key]) !== textOf(wanted[key]));
  return {
    config: {
      ...wanted,
      ...Object.fromEntries(FIXED.map((key) => [key, now[key]])),
      server: { ...now.server, tokens },
    },
    needsRestart: [...needsRestart, ...(isHeld ? ['server'] : [])],
  };
}

/** The error of a change that would leave a hook without effect that has one, or be without one that it names; `undefined` for none. */
export function refusalOf(before: Edition, after: Edition): SignalboxError | undefined {
  const known = new Map(before.found.hooks.map((entry) => [entry.name, before.failureOf(entry)]));
  for (const entry of after.found.hooks) {
    const failure = after.failureOf(entry);
    if (failure === undefined || known.get(entry.name)?.code === failure.code) continue;
    // Whoever takes the trust from a package means it to fail.
    if (failure.code === 'untrusted') continue;
    const detail = `hook "${entry.name}" would fail with ${failure.code}: ${failure.detail}`;
    return new SignalboxError('reload_refused', { detail });
  }
  const missing = new Set(before.found.absent.map(({ name, origin }) => `${origin.name} ${name}`));
  for (const { name, origin, error } of after.found.absent) {
    if (error === undefined || missing.has(`${origin.name} ${name}`)) continue;
    return new SignalboxError('reload_refused', { detail: error.message });
  }
  return undefined;
}

function settingOf(edition: Edition, key: (typeof SETTINGS)[number]): unknown {
  return key === 'budgets' ? edition.budgetSettings : edition.config[key];
}

/** The names of the hooks that the other edition has as well, in their order: what breaks a tie between priorities. */
function sequenceOf({ found }: Edition, others: ReadonlyMap<string, string>): readonly string[] {
  return found.hooks.map(({ name }) => name).filter((name) => others.has(name));
}

/** Each hook as one text; the name that the host keeps it by tells of changed files. One that fails was tried again. */
function entriesOf({ found, loaded, failureOf }: Edition): ReadonlyMap<string, string> {
  const text = (entry: HookEntry): string => {
    const { registration: _, ...facts } = entry;
    const failure = failureOf(entry);
    const loadedAs = failure === undefined ? loaded.get(entry.name)?.source.name : failure;
    return textOf({ ...facts, loadedAs });
  };
  return new Map(found.hooks.map((entry) => [entry.name, text(entry)]));
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
