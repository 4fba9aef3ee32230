import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import { configFromObject } from '../config/load-config.ts';
import type { BudgetsSettings, RuntimeConfig } from '../config/runtime-config.ts';
import { readContained } from '../packages/install/contained-file.ts';
import { readAgents } from './agent-files.ts';
import { readYaml } from './yaml-text.ts';

const FILE = 'config/budgets.yaml';
const MAX_BYTES = 64 * 1024;

/**
 * The budgets of a runtime with what `config/` says of them: `config/budgets.yaml` for groups and users, `budget` of an
 * agent for the session, the lowest where agents differ. What runtime.json says
 * stands, save the warn level of an agent. Throws `config_invalid`.
 */
export async function withBudgetFiles(
  config: Pick<RuntimeConfig, 'folder' | 'budgets'>,
): Promise<BudgetsSettings> {
  const { budgets } = config;
  const folder = await realpath(config.folder).catch(() => config.folder);
  const read = readSettings(await readFile(folder), folder);
  const own = await readSession(folder);
  const session = { ...own.whole, ...read.session, ...budgets.session };
  const { max, unit = 'tokens', period } = session;
  const { warnAt = 0.8 } = own.warn ?? session;
  return {
    ...read,
    ...budgets,
    users: { ...read.users, ...budgets.users },
    groups: { ...read.groups, ...budgets.groups },
    ...(max !== undefined && {
      session: { max, unit, warnAt, ...(period !== undefined && { period }) },
    }),
  };
}

type Given = Readonly<Record<string, unknown>>;

async function readFile(folder: string): Promise<Given> {
  const file = await readContained(folder, join(folder, FILE), MAX_BYTES);
  if (!file.ok && file.isMissing) return {};
  if (!file.ok) throw invalid(file.detail);
  const yaml = readYaml(file.text);
  if (!yaml.ok) throw invalid(yaml.detail, yaml.line);
  const value = yaml.value ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid('it must be a map');
  return value as Given;
}

/** Holds budgets against the schema of runtime.json, where a warn level is called `warnAt`. */
function readSettings(given: Given, folder: string): BudgetsSettings {
  try {
    return configFromObject({ budgets: renamed(given) }, folder).budgets;
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    throw invalid(`key "${String(error.data['key'])}": ${String(error.data['detail'])}`);
  }
}

function renamed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key === 'warn_at' ? 'warnAt' : key, renamed(item)]),
  );
}

/** The session's budget as agents have it: a whole one, or a warn level for that of runtime.json. */
async function readSession(folder: string): Promise<{
  readonly whole?: NonNullable<BudgetsSettings['session']>;
  readonly warn?: { readonly warnAt: number };
}> {
  const given = (await readAgents(folder)).flatMap(({ budget }) =>
    typeof budget === 'object' && budget !== null ? [budget as Given] : [],
  );
  const levels = given.flatMap(({ warn_at: level }) => (typeof level === 'number' ? [level] : []));
  const wholes = given.filter(({ max }) => typeof max === 'number');
  const sessions = wholes.flatMap((one) => readSettings({ session: one }, folder).session ?? []);
  const [whole] = sessions.toSorted((a, b) => a.max - b.max);
  return {
    ...(whole !== undefined && { whole }),
    ...(levels.length > 0 && { warn: { warnAt: Math.min(...levels) } }),
  };
}

function invalid(detail: string, line = 1): SignalboxError {
  return new SignalboxError('config_invalid', { file: FILE, line, column: 1, key: '', detail });
}
