import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Payloads } from '../../sdk/points.ts';
import { differencesFrom, parseFixture } from './fixtures.ts';
import { openTestHost, type TestHost, type TestHostOptions } from './test-host.ts';

/** `test` of vitest, jest or node:test. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;

/**
 * Registers one test for every file of the hook's `fixtures` folder: `testFixtures(test, { hook })`. The sandbox opens with
 * the first and closes when no other has started for a moment.
 */
export function testFixtures(
  test: RegisterTest,
  options: TestHostOptions & { readonly hook: string | URL },
): void {
  const hook = typeof options.hook === 'string' ? options.hook : fileURLToPath(options.hook);
  const folder = join(hook, 'fixtures');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const shared = shareHost(options);
  for (const file of files.sort()) {
    test(`fixture ${file}`, () =>
      shared(async (host) => {
        const fixture = parseFixture(await readFile(join(folder, file), 'utf8'), file);
        // The point checks the payload; a fixture may well be about one that it refuses.
        const payload = fixture.payload as unknown as Payloads[typeof fixture.point];
        const outcome = await host.run(fixture.point, payload, fixture.context);
        const { failure, detail } = outcome;
        const problems = differencesFrom(fixture, outcome.verdict);
        if (failure !== undefined && fixture.expect.code !== failure)
          problems.push(`the hook failed with ${failure}: ${detail ?? ''}`);
        if (problems.length > 0) throw new Error(`${file}: ${problems.join('; ')}`);
      }));
  }
}

const IDLE_MS = 250;

/** One host for tests that may run at the same time or one by one, opened by the first and closed behind the last. */
function shareHost(
  options: TestHostOptions,
): (use: (host: TestHost) => Promise<void>) => Promise<void> {
  let opening: Promise<TestHost> | undefined;
  let users = 0;
  let timer: NodeJS.Timeout | undefined;
  return async (use) => {
    clearTimeout(timer);
    users += 1;
    try {
      await use(await (opening ??= openTestHost(options)));
    } finally {
      users -= 1;
      if (users === 0) {
        const idle = opening;
        timer = setTimeout(() => {
          opening = undefined;
          void idle?.then((host) => host.close()).catch(() => undefined);
        }, IDLE_MS);
      }
    }
  };
}
