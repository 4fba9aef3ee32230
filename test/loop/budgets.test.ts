import { expect, test } from 'vitest';
import { openTheatre, play } from './stages.ts';

const CONFIG = {
  budgets: {
    session: { max: 100 },
    users: { alice: { max: 30, warnAt: 0.5 }, rich: { max: 1, unit: 'money' } },
    group: { max: 1000 },
    prices: { scripted: { input: 10_000, output: 20_000 } },
  },
};

const theatre = openTheatre(
  {
    reader: {
      run: `({ action: 'allow', notice: { text: JSON.stringify(ctx.budget) } })`,
      manifest: { points: ['preModelCall'], when: { sessions: ['read'] } },
    },
  },
  CONFIG,
);

const usage = (tokens: number) => ({ prompt_tokens: tokens - 1, completion_tokens: 1 });

function run(sessionId: string, tokens: number, caller: { userId?: string; orgId?: string } = {}) {
  return play(theatre.runtime, [{ text: 'hi', usage: usage(tokens) }], { sessionId, caller });
}

const told = ({ fires }: Awaited<ReturnType<typeof run>>) =>
  fires.filter(({ point }) => point === 'budgetThreshold').map(({ payload }) => payload);

test('[AO12] [AO13] [AO14] a budget tells of each threshold once, and is then at its end', async () => {
  expect(told(await run('s', 50))).toEqual([]);
  expect(told(await run('s', 35))).toEqual([
    { level: 'session', spent: 85, max: 100, ratio: 0.85 },
  ]);
  expect(told(await run('s', 5))).toEqual([]);
  expect(told(await run('s', 20))).toEqual([
    { level: 'session', spent: 110, max: 100, ratio: 1.1 },
  ]);
  const over = await run('s', 1);
  expect(over.requests).toEqual([]);
  expect(over.result).toMatchObject({ outcome: 'blocked', text: 'The session budget is used up' });
  expect(over.points.slice(-3)).toEqual(['postTurn', 'runEnd', 'sessionEnd']);
});

test('a user spends one budget over all sessions; others are not touched', async () => {
  const alice = { userId: 'alice', orgId: 'acme' };
  expect(told(await run('a1', 16, alice)).map(({ level }) => level)).toEqual(['user']);
  expect(told(await run('a2', 20, alice)).map(({ level }) => level)).toEqual(['user']);
  expect((await run('a3', 1, alice)).result).toMatchObject({
    outcome: 'blocked',
    text: 'The user budget is used up',
  });
  expect((await run('b1', 1, { userId: 'bob' })).result.outcome).toBe('answer');
});

test('money is counted by the prices of the model, and a model without a price is not asked', async () => {
  const rich = { userId: 'rich' };
  expect(told(await run('m', 90, rich)).map(({ level }) => level)).toContain('user');
  const spender = { sessionId: 'other', ...rich };
  expect(await theatre.runtime.budgets.objection(spender, 'scripted')).toBeUndefined();
  expect(await theatre.runtime.budgets.objection(spender, 'unpriced')).toContain('has no price');
});

test('[AO53] hooks see the budget of which the least is left', async () => {
  await run('read', 40);
  const { events } = await run('read', 1, { userId: 'carol' });
  const notice = events.find(({ type }) => type === 'notice') as { text: string } | undefined;
  expect(JSON.parse(notice?.text ?? '{}')).toEqual({ total: 100, spent: 40, remaining: 60 });
});
