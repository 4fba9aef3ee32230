import { expect, test } from 'vitest';
import { growthOf, verdictOn, type Sample } from './growth.ts';

function samples(heapMb: (at: number) => number, count = 40): Sample[] {
  const others = { externalMb: 10, hostMb: 300, childMb: 90, children: 20 };
  const descriptors = { hostDescriptors: 40, childDescriptors: 21 };
  return Array.from({ length: count }, (_, at) => ({
    ...others,
    ...descriptors,
    heapMb: heapMb(at),
  }));
}

test('a heap that warms up within the first quarter and swings around one value did not grow', () => {
  const rows = growthOf(samples((at) => (at < 10 ? at : 30 + (at % 3))));
  expect(verdictOn(rows)).toMatchObject({ hasGrown: false });
});

test('a heap that gains a little with each sample grew, and the line says from what to what', () => {
  const { hasGrown, line } = verdictOn(growthOf(samples((at) => 30 + at * 0.2)));
  expect(hasGrown).toBe(true);
  expect(line).toMatch(
    /^It grew \(limit 1\.1 × .*\): heap of the host after a collection 33\.0 → 37\.0 MB$/,
  );
});

test('more sandboxes than there may be are a growth', () => {
  const many = samples(() => 30).map((sample, at) => ({ ...sample, children: 10 + at }));
  expect(verdictOn(growthOf(many)).line).toContain('sandboxes, at most 49');
});

test('a run too short to be measured did not pass', () => {
  expect(verdictOn(growthOf(samples(() => 30, 1))).hasGrown).toBe(true);
});
