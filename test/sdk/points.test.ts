import { expect, test } from 'vitest';
import { CAPABILITIES } from '../../sdk/capabilities.ts';
import { misfit } from '../../sdk/check-value.ts';
import { ACTION_NAMES } from '../../sdk/decisions.ts';
import { isPoint, POINT_NAMES, POINTS, type PointRow } from '../../sdk/points.ts';

const ROWS = Object.entries(POINTS);
const ACTING = ['block', 'ask', 'modify', 'suppress'] as const;

function mayAct(row: PointRow): boolean {
  return ACTING.some((action) => row.decisions.includes(action));
}

test('there are 32 points', () => {
  expect(POINT_NAMES).toHaveLength(32);
  expect(Object.keys(POINTS)).toEqual([...POINT_NAMES]);
});

test('[AM13] the five points of Amodal are points', () => {
  for (const name of ['preInput', 'preToolUse', 'postToolUse', 'preOutput', 'postTurn']) {
    expect(isPoint(name)).toBe(true);
  }
});

test('a name that every object has is no point', () => {
  expect(isPoint('constructor')).toBe(false);
  expect(isPoint('__proto__')).toBe(false);
});

test.each(ROWS)('%s names its fields consistently', (_, row) => {
  const fields = Object.keys(row.payload.properties);
  for (const list of [row.writable, row.content, row.payload.required ?? []]) {
    expect(fields).toEqual(expect.arrayContaining([...list]));
    expect(new Set(list).size).toBe(list.length);
  }
});

test.each(ROWS)('%s has every field with a default among the required ones', (_, row) => {
  const filled = Object.entries(row.payload.properties).filter(([, field]) => 'default' in field);
  for (const [name, field] of filled) {
    expect(row.payload.required).toContain(name);
    expect(misfit(field.default, field, name)).toBeUndefined();
  }
});

test.each(ROWS)('%s allows "allow", and only known actions, each once', (_, row) => {
  expect(row.decisions).toContain('allow');
  expect(ACTION_NAMES).toEqual(expect.arrayContaining([...row.decisions]));
  expect(new Set(row.decisions).size).toBe(row.decisions.length);
});

test.each(ROWS)(
  '%s needs a gates capability exactly where more than "allow" is legal',
  (_, row) => {
    expect(row.gates === null).toBe(row.decisions.length === 1);
    if (row.gates !== null) expect(Object.keys(CAPABILITIES)).toContain(row.gates);
  },
);

test.each(ROWS)('%s needs a reads capability exactly where it has content fields', (_, row) => {
  expect(row.reads === null).toBe(row.content.length === 0);
  if (row.reads !== null) expect(Object.keys(CAPABILITIES)).toContain(row.reads);
});

test.each(ROWS)('%s has writable fields exactly where modify is legal', (_, row) => {
  expect(row.writable.length > 0).toBe(row.decisions.includes('modify'));
});

test.each(ROWS)('%s is an observer exactly where only "allow" is legal', (_, row) => {
  expect(row.kind === 'observe').toBe(row.decisions.length === 1);
});

test.each(ROWS)('%s is a gate exactly where a block is legal', (_, row) => {
  expect(row.kind === 'gate').toBe(row.decisions.includes('block'));
  expect(row.onBlock !== undefined).toBe(row.decisions.includes('block'));
});

test.each(ROWS)('[AM34] %s fails closed exactly where a hook may act', (_, row) => {
  expect(row.failPolicy).toBe(mayAct(row) ? 'closed' : 'open');
});

test.each(ROWS)('%s says what a closed failure does, and its chain may do that', (_, row) => {
  switch (row.closedFailure) {
    case 'block':
    case 'suppress':
      expect(row.decisions).toContain(row.closedFailure);
      break;
    case 'replace':
      expect(row.decisions).toContain('modify');
      expect(row.writable).toContain(row.replaces);
      break;
    case 'record':
      expect(row.failPolicy).toBe('open');
      break;
  }
  expect(row.replaces !== undefined).toBe(row.closedFailure === 'replace');
});

test('an ask is legal at the five points where a person can decide', () => {
  const asking = POINT_NAMES.filter((point) => POINTS[point].decisions.includes('ask'));
  expect(asking.toSorted()).toEqual(
    ['preInput', 'preToolUse', 'postToolUse', 'preModelCall', 'preOutput'].toSorted(),
  );
});

test.each([
  ['result', ['preInput', 'preModelCall', 'preToolUse']],
  ['rework', ['preOutput', 'preToolUse']],
  ['suppress', ['onToken', 'preOutput']],
] as const)('a %s is legal exactly where it means something', (action, points) => {
  const legal = POINT_NAMES.filter((point) => POINTS[point].decisions.includes(action));
  expect(legal.toSorted()).toEqual([...points]);
});
