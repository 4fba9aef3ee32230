import { resolve } from 'node:path';
import { RUNTIME_LIMITS } from '../../sdk/limits.ts';
import { MAX_TIMER_MS, RUNTIME_SCHEMA } from '../../sdk/runtime-schema.ts';
import type {
  BudgetSettings,
  BudgetsSettings,
  ByName,
  HookSettings,
  PackageEntry,
  RuntimeConfig,
  RuntimeLimits,
} from './runtime-config.ts';
import type { RuntimeFile } from './runtime-file.ts';

const { limits, store, records, server, telemetry } = RUNTIME_SCHEMA.properties;

/** Fills in the defaults of a valid runtime.json and makes its paths absolute. Reads SIGNALBOX_CACHE. */
export function completeConfig(
  given: RuntimeFile,
  { file, folder }: { readonly file: string | undefined; readonly folder: string },
): RuntimeConfig {
  const cache = process.env['SIGNALBOX_CACHE'];
  const isCacheNamed = cache !== undefined && cache !== '';
  return {
    file,
    folder,
    cacheFolder: resolve(folder, isCacheNamed ? cache : 'packages-cache'),
    packages: (given.packages ?? []).map(completeEntry),
    hooks: completeHooks(given.hooks ?? {}),
    limits: completeLimits(given.limits ?? {}),
    store: {
      file: resolve(folder, given.store?.file ?? store.properties.file.default),
      indexes: byName(given.store?.indexes),
    },
    records: {
      file: resolve(folder, given.records?.file ?? records.properties.file.default),
      reasons: given.records?.reasons ?? records.properties.reasons.default,
      retentionDays: given.records?.retentionDays ?? null,
      maxRows: given.records?.maxRows ?? null,
      ...(given.records?.payloads !== undefined && { payloads: given.records.payloads }),
    },
    server: {
      host: server.properties.host.default,
      port: server.properties.port.default,
      requestsPerMinute: server.properties.requestsPerMinute.default as number,
      firesPerMinute: null,
      tokens: [],
      ...given.server,
    },
    fetch: { ports: given.fetch?.ports ?? [], private: given.fetch?.private ?? [] },
    secrets: {
      folder:
        given.secrets?.folder === undefined ? undefined : resolve(folder, given.secrets.folder),
    },
    approvals: { enabled: given.approvals?.enabled ?? false },
    access: { rules: given.access?.rules ?? [], default: given.access?.default ?? 'allow' },
    agents: given.agents ?? {},
    budgets: completeBudgets(given.budgets ?? {}),
    telemetry: { ratio: telemetry.properties.ratio.default, ...given.telemetry },
    trust: { allOf: [], anyOf: [], block: [], ...given.trust },
  };
}

function completeEntry(entry: NonNullable<RuntimeFile['packages']>[number]): PackageEntry {
  if (typeof entry === 'string') return { package: entry, as: byName({}), partial: false };
  return { ...entry, as: byName(entry.as), partial: entry.partial ?? false };
}

function completeHooks(hooks: NonNullable<RuntimeFile['hooks']>): HookSettings {
  return {
    order: hooks.order ?? [],
    disabled: hooks.disabled ?? [],
    required: hooks.required ?? [],
    config: byName(hooks.config),
    mode: byName(hooks.mode),
    failPolicy: byName(hooks.failPolicy),
    overrides: byName(hooks.overrides),
  };
}

function completeLimits(given: NonNullable<RuntimeFile['limits']>): RuntimeLimits {
  const value = <K extends keyof typeof RUNTIME_LIMITS>(key: K): number | null => {
    const own = given[key];
    return own === undefined ? RUNTIME_LIMITS[key] : own;
  };
  return {
    loadMs: value('loadMs') ?? MAX_TIMER_MS,
    graceMs: value('graceMs') ?? MAX_TIMER_MS,
    queueMs: value('queueMs') ?? MAX_TIMER_MS,
    queueLength: value('queueLength') ?? Number.MAX_SAFE_INTEGER,
    payloadBytes: value('payloadBytes'),
    rssMb: value('rssMb'),
    idleMs: value('idleMs'),
    maxIsolates: given.maxIsolates ?? limits.properties.maxIsolates.default,
    injectionChars: value('injectionChars'),
    injectionTokensPerTurn: value('injectionTokensPerTurn'),
  };
}

function completeBudgets(given: NonNullable<RuntimeFile['budgets']>): BudgetsSettings {
  const one = (budget: BudgetDraft): BudgetSettings => ({ unit: 'tokens', warnAt: 0.8, ...budget });
  const each = (budgets: Readonly<Record<string, BudgetDraft>> = {}): ByName<BudgetSettings> =>
    byName(
      Object.fromEntries(Object.entries(budgets).map(([name, budget]) => [name, one(budget)])),
    );
  const { session, user, group } = given;
  return {
    ...(session !== undefined && { session: one(session) }),
    ...(user !== undefined && { user: one(user) }),
    ...(group !== undefined && { group: one(group) }),
    users: each(given.users),
    groups: each(given.groups),
    prices: byName(given.prices),
  };
}

type BudgetDraft = NonNullable<NonNullable<RuntimeFile['budgets']>['session']>;

function byName<T>(given: Readonly<Record<string, T>> | undefined): ByName<T> {
  return Object.assign(Object.create(null) as Record<string, T>, given);
}
