import { expect, test } from 'vitest';
import { createTurnStates } from '../../src/fire/turn-state.ts';

test('what a turn noted is there until the turn changes', () => {
  const turns = createTurnStates();
  turns.open('s', 't1').bag = { risk: 1 };
  turns.open('s', 't1').reworks += 1;
  expect(turns.read('s', 't1')).toEqual({ bag: { risk: 1 }, reworks: 1, injectedChars: 0 });
  expect(turns.read('s', 't2')).toEqual({ bag: {}, reworks: 0, injectedChars: 0 });
  turns.open('s', 't2');
  expect(turns.read('s', 't1').bag).toEqual({});
});

test('sessions do not see each other', () => {
  const turns = createTurnStates();
  turns.open('a', 't').bag = { risk: 1 };
  expect(turns.read('b', 't').bag).toEqual({});
  turns.end('a');
  expect(turns.read('a', 't').bag).toEqual({});
});

test('reading a turn leaves nothing behind', () => {
  const turns = createTurnStates();
  turns.read('s', 't1');
  turns.open('s', 't1').reworks = 2;
  turns.read('s', 't2');
  expect(turns.read('s', 't1').reworks).toBe(2);
});
