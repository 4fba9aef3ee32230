import { expect, test } from 'vitest';
import { idsOf, testsById, type System } from '../../scripts/contract-tests.ts';
import { DIFFERENCES } from '../../sdk/contracts/differences.ts';

const different = new Set(DIFFERENCES.flatMap(({ ids }) => ids));
const shown = testsById();

test.each<System>(['AP', 'HP'])(
  'every feature of %s has a test or is different on purpose',
  (system) => {
    const missing = idsOf(system).filter((id) => !shown.has(id) && !different.has(id));
    expect(missing).toEqual([]);
  },
);

test('there are fifteen differences at the most, each of known features', () => {
  const known = (['AM', 'AP', 'AO', 'SA', 'HP'] as const).flatMap((system) => idsOf(system));
  expect(DIFFERENCES.length).toBeLessThanOrEqual(15);
  expect([...different].filter((id) => !known.includes(id))).toEqual([]);
});
