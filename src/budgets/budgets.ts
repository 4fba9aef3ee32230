import type { BudgetSettings, BudgetsSettings } from '../config/runtime-config.ts';
import type { Database } from '../sql/database.ts';
import { openSpendRows } from '../sql/spend-rows.ts';
import type { Context } from '../verdict.ts';

/** Whose budgets a model request is charged to. */
export interface Spender {
  readonly sessionId: string;
  readonly userId?: string | undefined;
  /** The group of the `group` and `groups` budgets. */
  readonly orgId?: string | undefined;
}

/** Tokens of one model request. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A budget that passed a threshold: the payload of `budgetThreshold`. */
export interface Crossing {
  readonly level: Level;
  readonly spent: number;
  readonly max: number;
  readonly ratio: number;
}

type Level = 'session' | 'group' | 'user';

/** What agents may spend, kept across restarts. */
export interface Budgets {
  /** The budget of which the least is left, as hooks see it; none where none is set. */
  view(spender: Spender): Promise<NonNullable<Context['budget']> | undefined>;
  /** Why a request must not be made; `undefined` when there is budget left. */
  objection(spender: Spender, model?: string): Promise<string | undefined>;
  /** Charges a request and gives back the thresholds that it passed, each once per budget. */
  charge(spender: Spender, model: string, usage: Usage): Promise<readonly Crossing[]>;
}

interface Layer {
  readonly level: Level;
  readonly name: string;
  readonly budget: BudgetSettings;
}

/** Opens the budgets of runtime.json. */
export function openBudgets(
  database: Database,
  settings: BudgetsSettings,
  now: () => number = Date.now,
): Budgets {
  const rows = openSpendRows(database);
  // Tokens and money of one layer are counted apart, and so is each period.
  const keyOf = ({ level, budget: { unit, period } }: Layer): string =>
    [level, unit, ...(period === undefined ? [] : [startOf(period, now())])].join(':');
  const standing = (layer: Layer) => rows.get(keyOf(layer), layer.name);
  return {
    async view(spender) {
      const views = await Promise.all(
        layersOf(spender, settings).map(async (layer) => {
          const { spent } = await standing(layer);
          const { max: total } = layer.budget;
          return { total, spent, remaining: Math.max(0, total - spent) };
        }),
      );
      return views.toSorted((a, b) => leftOf(a) - leftOf(b))[0];
    },
    async objection(spender, model) {
      for (const layer of layersOf(spender, settings)) {
        const { budget, level } = layer;
        if (
          model !== undefined &&
          budget.unit === 'money' &&
          settings.prices[model] === undefined
        ) {
          return `The ${level} budget is in money, and budgets.prices has no price of model "${model}"`;
        }
        if ((await standing(layer)).spent < budget.max) continue;
        const { period } = budget;
        const which = period === undefined ? '' : ` of ${startOf(period, now())}`;
        return `The ${level} budget${which} is used up`;
      }
      return undefined;
    },
    async charge(spender, model, usage) {
      const crossings: Crossing[] = [];
      for (const layer of layersOf(spender, settings)) {
        const { level, name, budget } = layer;
        const amount = amountOf(
          usage,
          budget.unit === 'money' ? settings.prices[model] : undefined,
        );
        const key = keyOf(layer);
        const { spent, told } = await rows.add(key, name, amount);
        const isNew = spent === amount && told === 0;
        if (isNew && budget.period !== undefined) await rows.forgetBefore(key, name);
        const ratio = budget.max === 0 ? 1 : spent / budget.max;
        for (const threshold of [...new Set([budget.warnAt, 1])].toSorted((a, b) => a - b)) {
          if (threshold <= told || ratio < threshold) continue;
          const isFirst = await rows.tell(key, name, threshold);
          if (isFirst) crossings.push({ level, spent, max: budget.max, ratio });
        }
      }
      return crossings;
    },
  };
}

function layersOf({ sessionId, userId, orgId }: Spender, settings: BudgetsSettings): Layer[] {
  const { session, user, group, users, groups } = settings;
  const layer = (level: Level, name: string | undefined, budget?: BudgetSettings): Layer[] =>
    name === undefined || budget === undefined ? [] : [{ level, name, budget }];
  return [
    ...layer('session', sessionId, session),
    ...layer('group', orgId, (orgId === undefined ? undefined : groups[orgId]) ?? group),
    ...layer('user', userId, (userId === undefined ? undefined : users[userId]) ?? user),
  ];
}

/** The name of a period, in the order of time. */
function startOf(period: 'day' | 'month', time: number): string {
  return new Date(time).toISOString().slice(0, period === 'day' ? 10 : 7);
}

const MILLION = 1_000_000;

function amountOf(
  { inputTokens, outputTokens }: Usage,
  price: { readonly input: number; readonly output: number } | undefined,
): number {
  if (price === undefined) return inputTokens + outputTokens;
  return (inputTokens * price.input + outputTokens * price.output) / MILLION;
}

function leftOf({
  total,
  remaining,
}: {
  readonly total: number;
  readonly remaining: number;
}): number {
  return total === 0 ? 0 : remaining / total;
}
