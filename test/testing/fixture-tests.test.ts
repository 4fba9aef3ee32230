import { join } from 'node:path';
import { expect, test, vi } from 'vitest';

import { testFixtures, type RegisterTest } from '../../src/testing/index.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const HOOK = join(import.meta.dirname, '../../hooks/pii-redactor');

// One line registers a test for every file.
testFixtures(test, { hook: HOOK });

test('each file is a test of its own, and a fixture that differs fails it', async () => {
  const runs: (() => Promise<void>)[] = [];
  const register: RegisterTest = (_name, run) => runs.push(run);
  testFixtures(register, { hook: HOOK, config: { types: [] } });
  expect(runs.length).toBeGreaterThan(4);
  const results = await Promise.allSettled(runs.map((run) => run()));
  const failed = results.filter((result) => result.status === 'rejected');
  expect(failed.length).toBeGreaterThan(0);
  expect(String(failed[0]?.reason)).toContain('action is "allow", expected "modify"');
});
