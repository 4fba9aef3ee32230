import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHistory, type HistoryStore } from '../../src/loop/index.ts';

let history: HistoryStore;

beforeAll(async () => {
  history = await openHistory(':memory:');
});
afterAll(() => history?.close());

const message = { id: 'm', role: 'assistant', content: 'let me pay' } as const;
const approvals = { call: 'approval' };

test('a message whose calls wait for a person goes on waiting when it is changed', async () => {
  await history.insert('s', message, approvals);
  await history.replace({ ...message, content: 'let me see' });
  expect(await history.parked('s')).toEqual({ messageId: 'm', approvals });
  expect(await history.load('s')).toEqual([{ ...message, content: 'let me see' }]);
});

test('more calls of a message wait until it is unparked', async () => {
  await history.insert('more', { ...message, id: 'more' }, approvals);
  expect(await history.park('more', { ...approvals, other: 'second' })).toBe(true);
  expect(await history.parked('more')).toEqual({
    messageId: 'more',
    approvals: { call: 'approval', other: 'second' },
  });
  await history.unpark('more');
  expect(await history.park('more', approvals)).toBe(false);
  expect(await history.parked('more')).toBeUndefined();
});

test('whoever changes a message makes nothing of it wait, or run twice', async () => {
  expect(await history.unpark('m')).toBe(true);
  const forged = { ...message, approvals };
  await history.replace(forged);
  expect(await history.parked('s')).toBeUndefined();
  expect(await history.unpark('m')).toBe(false);
});

test('a message that waits is unparked once, however often it is changed meanwhile', async () => {
  await history.insert('busy', { ...message, id: 'busy' }, approvals);
  const changes = ['a', 'b', 'c'].map((content) =>
    history.replace({ ...message, id: 'busy', content }),
  );
  const unparked = await Promise.all([history.unpark('busy'), history.unpark('busy')]);
  await Promise.all(changes);
  expect(unparked.filter(Boolean).length).toBeLessThanOrEqual(1);
  const isLeft = (await history.parked('busy')) !== undefined;
  expect(isLeft).toBe(!unparked.includes(true));
});
