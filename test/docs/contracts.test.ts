import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { idsOf, SYSTEMS, testsById, type System } from '../../scripts/contract-tests.ts';
import { DIFFERENCES } from '../../sdk/contracts/differences.ts';

const different = new Set(DIFFERENCES.flatMap(({ ids }) => ids));
const shown = testsById();
const systems = Object.keys(SYSTEMS) as System[];
const list = new URL('../../../shared/reference/contracts.md', import.meta.url);

test.each(systems)('every feature of %s has a test or is different on purpose', (system) => {
  const missing = idsOf(system).filter((id) => !shown.has(id) && !different.has(id));
  expect(missing).toEqual([]);
});

test.each(systems)('no test names a feature that %s does not have', (system) => {
  const named = [...shown.keys()].filter((id) => id.startsWith(system) && /^..\d/.test(id));
  expect(named.filter((id) => !idsOf(system).includes(id))).toEqual([]);
});

test.skipIf(!existsSync(list)).each(systems)(
  'the features of %s are those of the list that was read of it (needs ../shared)',
  (system) => {
    const rows = readFileSync(list, 'utf8').matchAll(/^\| ([A-Z]{2}\d+[a-z]?) \|/gm);
    const listed = Array.from(rows, ([, id = '']) => id).filter((id) => id.startsWith(system));
    expect(idsOf(system).toSorted()).toEqual(listed.toSorted());
  },
);

test('there are fifteen differences at the most, each of known features', () => {
  const known = systems.flatMap((system) => idsOf(system));
  expect(DIFFERENCES.length).toBeLessThanOrEqual(15);
  expect([...different].filter((id) => !known.includes(id))).toEqual([]);
});
