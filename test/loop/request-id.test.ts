import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { closeModelCall, currentRequestId, inModelCall } from '../../src/loop/model/request-id.ts';

test('[AP58a] twenty calls at the same time have twenty ids, and each keeps its own', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, () =>
      inModelCall(async () => {
        const before = currentRequestId();
        await setImmediate();
        await setImmediate();
        expect(currentRequestId()).toBe(before);
        expect(closeModelCall()).toBe(before);
        expect(currentRequestId()).toBeUndefined();
        return before;
      }),
    ),
  );
  expect(new Set(ids).size).toBe(20);
  expect(currentRequestId()).toBeUndefined();
});

test('[AP58a] an id that the caller gives is taken; outside a call there is none', async () => {
  expect(closeModelCall()).toBeUndefined();
  expect(await inModelCall(async () => currentRequestId(), 'upstream-42')).toBe('upstream-42');
});
