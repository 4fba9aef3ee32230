import { beforeEach, describe, expect, test, vi, afterEach } from 'vitest';

import { createFeed, type Feed, type FeedBatch } from '../../src/feed/feed.ts';
import type { ObservedFire, ObservedRun } from '../../src/fire/observer.ts';

let now = 0;
let feed: Feed;

beforeEach(() => {
  vi.useFakeTimers();
  now = Date.UTC(2026, 0, 1);
  feed = createFeed(() => now);
});
afterEach(() => void vi.useRealTimers());

const RUN: ObservedRun = { hook: 'guard', action: 'allow', ms: 2, modified: false };

function fire(fireId: string, hooks: readonly ObservedRun[] = [RUN]): void {
  feed.observer.onVerdict(observed(fireId, hooks));
}

function observed(fireId: string, hooks: readonly ObservedRun[]): ObservedFire {
  const startTime = now;
  return { fireId, point: 'preToolUse', startTime, ms: 3, action: 'allow', hooks, notRun: [] };
}

function shadow(fireId: string, run: ObservedRun): void {
  feed.observer.onShadow?.({ fireId, point: 'preToolUse' }, run);
}

test('a fire can be found with everything that its hooks did, shadow runs included', () => {
  fire('a');
  shadow('a', { ...RUN, hook: 'watcher', action: 'block' });
  expect(feed.find('a')).toEqual({
    fireId: 'a',
    point: 'preToolUse',
    time: '2026-01-01T00:00:00.000Z',
    ms: 3,
    action: 'allow',
    hooks: [RUN],
    notRun: [],
    shadow: [{ ...RUN, hook: 'watcher', action: 'block' }],
  });
  expect(feed.find('b')).toBeUndefined();
});

test('the newest 2,000 fires are kept and no more', () => {
  for (let index = 0; index < 4500; index += 1) fire(`f${index}`);
  expect(feed.newest(10_000)).toHaveLength(2000);
  expect(feed.newest(2).map(({ fireId }) => fireId)).toEqual(['f4499', 'f4498']);
  expect(feed.find('f2500')).toBeDefined();
  expect(feed.find('f2499')).toBeUndefined();
  expect(feed.firesByPoint.get('preToolUse')).toBe(4500);
});

test('what came after a fire comes in the order it fell; of one that is gone nothing is known', () => {
  for (let index = 0; index < 2002; index += 1) fire(`f${index}`);
  expect(feed.after('f1999')?.map(({ fireId }) => fireId)).toEqual(['f2000', 'f2001']);
  expect(feed.after('f2001')).toEqual([]);
  expect(feed.after('f1')).toBeUndefined();
});

describe('the hour of a hook', () => {
  test('counts runs, failures and durations by minute, handlers of a module together', () => {
    fire('a', [
      { ...RUN, hook: 'guard/first' },
      { ...RUN, code: 'timeout' },
    ]);
    now += 60_000;
    fire('b');
    expect(feed.minutes('guard')).toMatchObject([
      { time: '2026-01-01T00:00:00.000Z', calls: 2, failures: 1, p50Ms: expect.closeTo(2, 0) },
      { time: '2026-01-01T00:01:00.000Z', calls: 1, failures: 0 },
    ]);
    const [first] = feed.minutes('guard');
    expect(first?.counts.reduce((sum, count) => sum + count)).toBe(2);
    expect(feed.hour('guard')).toMatchObject({ calls: 3, failures: 1 });
    expect(feed.total('guard')).toEqual({ calls: 3, failures: 1 });
    expect(feed.hour('nobody')).toEqual({ calls: 0, failures: 0, p50Ms: 0, p99Ms: 0 });
  });

  test('forgets what is older', () => {
    for (let minute = 0; minute < 200; minute += 1) {
      fire(`f${minute}`);
      now += 60_000;
    }
    expect(feed.minutes('guard')).toHaveLength(59);
    now += 59 * 60_000;
    expect(feed.hour('guard').calls).toBe(0);
  });
});

describe('a subscriber', () => {
  test('is given what came together, in order, and nothing from before or after', () => {
    const batches: FeedBatch[] = [];
    fire('before');
    const end = feed.subscribe((batch) => void batches.push(batch));
    fire('a');
    fire('b');
    shadow('a', RUN);
    expect(batches).toEqual([]);
    vi.runAllTimers();
    expect(batches).toMatchObject([
      { fires: [{ fireId: 'a', shadow: [RUN] }, { fireId: 'b' }], shadow: [], missed: 0 },
    ]);
    shadow('b', RUN);
    vi.runAllTimers();
    expect(batches[1]).toMatchObject({ fires: [], shadow: [{ fireId: 'b', run: RUN }] });
    fire('c');
    end();
    vi.runAllTimers();
    expect(batches).toHaveLength(2);
  });

  test('who reads the newest first has none of them again', () => {
    const batches: FeedBatch[] = [];
    feed.subscribe(() => undefined);
    fire('a');
    feed.flush();
    feed.subscribe((batch) => void batches.push(batch));
    fire('b');
    feed.flush();
    vi.runAllTimers();
    expect(batches).toMatchObject([{ fires: [{ fireId: 'b' }] }]);
  });

  test('is told how many fires came too fast to be kept', () => {
    const batches: FeedBatch[] = [];
    feed.subscribe((batch) => void batches.push(batch));
    for (let index = 0; index < 2003; index += 1) fire(`f${index}`);
    vi.runAllTimers();
    expect(batches).toMatchObject([{ missed: 3 }]);
    expect(batches[0]?.fires).toHaveLength(2000);
  });
});
