import { defineConfig } from 'vitest/config';

const conditions = ['@signalbox/source'];

export default defineConfig({
  // Both lists replace vite's own, which is of use to browsers.
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/fixtures/**', 'test/hostile/programs/**'],
    // A process for each file: tests start and kill children of their own, and load native addons.
    pool: 'forks',
    maxWorkers: 2,
    execArgv: conditions.map((condition) => `--conditions=${condition}`),
    // A real sandbox takes its time on a busy machine; what must be fast is measured in test/bench.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
});
