import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, as measured on two cores. */
const LONG = [
  'hostile/corpus',
  'authors/published',
  'install/failures',
  'install/update',
  'install/add',
  'console/console',
  'cli/command-line',
];

/** Starts what takes longest first, so that no worker is idle at the end; a clean clone has no times to go by. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at === -1 ? LONG.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
