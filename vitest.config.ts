import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

const conditions = ['@signalbox/source'];
const exclude = [
  '**/node_modules/**',
  '**/dist/**',
  'test/fixtures/**',
  'test/hostile/programs/**',
];

/** Files that change the folder, the environment or the streams of their process, or count what it holds. */
const ALONE = [
  'test/{chaos,console,hostile,install,storm}/**/*.test.ts',
  'test/authors/published.test.ts',
  'test/cli/run.test.ts',
  'test/loop/killed.test.ts',
  'test/records/commands.test.ts',
];

export default defineConfig({
  // Both lists replace vite's own, which is of use to browsers.
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Processes, not threads: tests start and kill children of their own, and load native addons.
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    execArgv: conditions.map((condition) => `--conditions=${condition}`),
    // As the program itself does: each runtime has threads, which would take the types out of their sources again.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/signalbox', import.meta.url)),
    },
    // A real sandbox takes its time on a busy machine; what must be fast is measured in test/bench.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, exclude } },
      {
        extends: true,
        // The start of a process and the sources again for each file would take as long as the tests.
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...ALONE],
          isolate: false,
        },
      },
    ],
  },
});
