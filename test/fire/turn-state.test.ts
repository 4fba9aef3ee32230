import { expect, test } from 'vitest';
import { createTurnStates } from '../../src/fire/turn-state.ts';

test('what a turn noted is there until the turn changes', () => {
  const turns = createTurnStates();
  turns.publish('s', 't1', { risk: 1 });
  turns.open('s', 't1').reworks += 1;
  expect(turns.read('s', 't1')).toEqual({ bag: { risk: 1 }, reworks: 1, injectedChars: 0 });
  expect(turns.read('s', 't2')).toEqual({ bag: {}, reworks: 0, injectedChars: 0 });
  turns.open('s', 't2');
  expect(turns.read('s', 't1').bag).toEqual({});
});

test('sessions do not see each other', () => {
  const turns = createTurnStates();
  turns.publish('a', 't', { risk: 1 });
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

test('values of other hooks stay beside one that is published again', () => {
  const turns = createTurnStates();
  turns.publish('s', 't', { risk: 1, who: 'a' });
  turns.publish('s', 't', { risk: 2 });
  expect(turns.read('s', 't').bag).toEqual({ risk: 2, who: 'a' });
});

const LARGE = 'x'.repeat(4 * 1024 * 1024);

test('of too many values the largest are forgotten, the oldest of them first, and nothing that others said', () => {
  const turns = createTurnStates();
  Object.assign(turns.publish('modest', 't', { risk: 1 }), { reworks: 2 });
  for (let at = 0; at < 10; at += 1) turns.publish(`s-${at}`, 't', { large: LARGE, small: at });
  expect(turns.read('modest', 't')).toEqual({ bag: { risk: 1 }, reworks: 2, injectedChars: 0 });
  expect(turns.read('s-0', 't').bag).toEqual({ small: 0 });
  expect(turns.read('s-9', 't').bag).toEqual({ large: LARGE, small: 9 });
});

test('a value that is published again, and those of turns that ended, count once and no more', () => {
  const turns = createTurnStates();
  turns.publish('first', 't', { large: LARGE });
  for (let at = 0; at < 10; at += 1) {
    turns.publish('again', 't', { large: LARGE });
    turns.publish('going on', `turn-${at}`, { large: LARGE });
    turns.publish('ending', 't', { large: LARGE });
    turns.end('ending');
  }
  expect(turns.read('first', 't').bag).toEqual({ large: LARGE });
});

test('of too many sessions the one that was written to longest ago is forgotten', () => {
  const turns = createTurnStates();
  turns.publish('first', 't', { risk: 1 });
  for (let at = 0; at < 50_000; at += 1) turns.open(`s-${at}`, 't');
  expect(turns.read('first', 't').bag).toEqual({});
});
