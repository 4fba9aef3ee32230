import { existsSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { readCorpus, type Program } from './corpus.ts';
import { runCorpus, type CorpusReport } from './run-corpus.ts';
import type { Policy } from './stage.ts';

const OWN = path.join(import.meta.dirname, 'programs');
const SHARED = path.resolve(import.meta.dirname, '../../../shared/hostile');
const POLICIES: readonly Policy[] = ['closed', 'open'];
/** A busy machine takes its time; the caps are held against each program's own clock. */
const PATIENCE_MS = 600_000;

// The resident memory is looked at after a collection.
setFlagsFromString('--expose-gc');
globalThis.gc = runInNewContext('gc') as NodeJS.GCFunction;

const isAbsent = !existsSync(SHARED);
const shared: readonly Program[] = isAbsent ? [] : await readCorpus(SHARED);
const kinds = [...new Set(shared.map(({ kind }) => kind))];

describe('the programs of this checkout', () => {
  test.each(POLICIES)(
    'each gives the required outcome under %s',
    async (policy) => {
      const report = await runCorpus({ folder: OWN, policies: [policy] });
      expect(report.findings.length).toBeGreaterThan(10);
      hold(report);
    },
    PATIENCE_MS,
  );
});

describe.skipIf(isAbsent)(
  'the corpus of hostile hooks in ../shared/hostile (skipped where absent)',
  () => {
    const cases = kinds.flatMap((kind) => POLICIES.map((policy) => [kind, policy] as const));
    test.each(cases)(
      'each program of kind %s gives the required outcome under %s',
      async (kind, policy) => {
        const report = await runCorpus({
          folder: SHARED,
          policies: [policy],
          isWanted: (program) => program.kind === kind,
        });
        expect(report.findings.length).toBe(shared.filter((each) => each.kind === kind).length);
        hold(report);
      },
      PATIENCE_MS,
    );
  },
);

/** What a program may leave behind is nothing, whatever it did. */
function hold(report: CorpusReport): void {
  const wrong = report.findings.filter(({ problems }) => problems.length > 0);
  expect(wrong.map(({ name, problems }) => `${name}: ${problems.join('; ')}`)).toEqual([]);
  expect(report.leftProcesses).toBe(0);
  expect(report.leftDescriptors).toBeLessThanOrEqual(0);
  expect(report.grownMb).toBeLessThan(64);
  expect(report.neighbourCalls).toBeGreaterThan(0);
}
