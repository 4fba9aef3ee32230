import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBudgets, type Budgets } from '../../src/budgets/budgets.ts';
import { configFromObject } from '../../src/config/load-config.ts';
import { openDatabase, type Database } from '../../src/sql/database.ts';
import { sharedDatabase, temporaryFolder } from '../sql/temporary-folder.ts';

const database = await sharedDatabase(['spend']);

const BUDGETS = {
  user: { max: 100, period: 'day', warnAt: 0.5 },
  group: { max: 100, period: 'month' },
  session: { max: 1000 },
  users: { rich: { max: 2, unit: 'money', period: 'day', warnAt: 1 } },
  prices: { m: { input: 1_000_000, output: 0 } },
} as const;

const settings = configFromObject({ budgets: BUDGETS }, '/').budgets;

/** Budgets at a time of their own. */
function budgetsAt(time: string, of: Database = database): Budgets {
  return openBudgets(of, settings, () => Date.parse(time));
}

const tokens = (count: number) => ({ inputTokens: count, outputTokens: 0 });
const levels = (crossings: readonly { readonly level: string }[]) =>
  crossings.map(({ level }) => level);

test('a budget of a day tells of each threshold once a day and starts anew at midnight in UTC', async () => {
  const ann = { sessionId: 's1', userId: 'ann' };
  const late = budgetsAt('2026-03-01T23:59:59.999Z');
  expect(levels(await late.charge(ann, 'm', tokens(60)))).toEqual(['user']);
  expect(levels(await late.charge(ann, 'm', tokens(30)))).toEqual([]);
  expect(levels(await late.charge(ann, 'm', tokens(30)))).toEqual(['user']);
  expect(await late.objection(ann)).toBe('The user budget of 2026-03-01 is used up');
  const next = budgetsAt('2026-03-02T00:00:00.000Z');
  expect(await next.objection(ann)).toBeUndefined();
  expect(await next.view(ann)).toEqual({ total: 1000, spent: 120, remaining: 880 });
  expect(await next.charge(ann, 'm', tokens(55))).toEqual([
    { level: 'user', spent: 55, max: 100, ratio: 0.55 },
  ]);
  expect(await next.view(ann)).toEqual({ total: 100, spent: 55, remaining: 45 });
});

test('a budget of a month spans its days, and all users of a group spend it', async () => {
  const spender = (userId: string) => ({ sessionId: `g-${userId}`, userId, orgId: 'acme' });
  await budgetsAt('2026-04-01T08:00:00Z').charge(spender('bob'), 'm', tokens(49));
  const end = budgetsAt('2026-04-30T20:00:00Z');
  await end.charge(spender('cy'), 'm', tokens(51));
  expect(await end.objection(spender('di'))).toBe('The group budget of 2026-04 is used up');
  expect(await budgetsAt('2026-05-01T00:00:00Z').objection(spender('di'))).toBeUndefined();
});

test('a budget without a period is for good', async () => {
  const session = { sessionId: 'long' };
  await budgetsAt('2026-01-01T00:00:00Z').charge(session, 'm', tokens(1000));
  expect(await budgetsAt('2030-01-01T00:00:00Z').objection(session)).toBe(
    'The session budget is used up',
  );
});

test('of many charges at once each threshold is told by one', async () => {
  const budgets = budgetsAt('2026-06-01T00:00:00Z');
  const eve = { sessionId: 'many', userId: 'eve' };
  const charges = Array.from({ length: 40 }, () => budgets.charge(eve, 'm', tokens(5)));
  expect(levels((await Promise.all(charges)).flat())).toEqual(['user', 'user']);
});

test('of past periods nothing is kept', async () => {
  const fay = { sessionId: 'past', userId: 'fay' };
  for (const day of ['01', '02', '03']) {
    await budgetsAt(`2026-07-${day}T00:00:00Z`).charge(fay, 'm', tokens(1));
  }
  const rows = await database.builder
    .selectFrom('spend')
    .select('layer')
    .where('name', '=', 'fay')
    .execute();
  expect(rows).toEqual([{ layer: 'user:tokens:2026-07-03' }]);
});

test('money and periods go together', async () => {
  const rich = { sessionId: 'rich', userId: 'rich' };
  const budgets = budgetsAt('2026-08-01T00:00:00Z');
  expect(await budgets.charge(rich, 'm', tokens(1))).toEqual([]);
  expect(levels(await budgets.charge(rich, 'm', tokens(1)))).toEqual(['user']);
  expect(await budgets.objection(rich, 'm')).toBe('The user budget of 2026-08-01 is used up');
  expect(await budgetsAt('2026-08-02T00:00:00Z').objection(rich, 'm')).toBeUndefined();
});

test('what was spent, and what was told of it, outlives the process', async () => {
  const file = join(temporaryFolder(), 'records.db');
  const gus = { sessionId: 'kept', userId: 'gus' };
  const charge = async () => {
    const opened = await openDatabase(file);
    const crossings = await budgetsAt('2026-09-01T00:00:00Z', opened).charge(gus, 'm', tokens(50));
    await opened.close();
    return crossings.map(({ ratio }) => ratio);
  };
  expect([await charge(), await charge(), await charge()]).toEqual([[0.5], [1], []]);
});
