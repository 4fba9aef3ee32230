import { quantile } from '../bench/harness.ts';
import type { Row } from '../bench/report.ts';
import type { HeapFigures } from './heap.ts';
import type { ProcessFigures } from './process-figures.ts';

/** What a server held at a moment. */
export type Sample = ProcessFigures & HeapFigures;

/** What a figure may differ by when nothing grows: memory is given back late, and processes come and go. */
const MOST_GROWTH = 1.1;

const FIGURES: readonly (readonly [keyof Sample, string, Row['unit']])[] = [
  ['heapMb', 'heap of the host after a collection', 'MB'],
  ['externalMb', 'external memory of the host', 'MB'],
  ['hostMb', 'resident memory of the host', 'MB'],
  ['childrenMb', 'resident memory of the sandboxes', 'MB'],
  ['hostDescriptors', 'descriptors of the host', 'x'],
  ['childDescriptors', 'descriptors of the sandboxes', 'x'],
];

/** How samples taken at equal intervals grew: the median of each figure in their last quarter against that in the second. */
export function growthOf(samples: readonly Sample[]): readonly Row[] {
  const quarter = (number: number): readonly Sample[] =>
    samples.slice(
      Math.floor((samples.length * (number - 1)) / 4),
      Math.floor((samples.length * number) / 4),
    );
  return FIGURES.map(([key, measured, unit]) => {
    const [before = NaN, after = NaN] = [quarter(2), quarter(4)].map((taken) =>
      quantile(
        taken.map((sample) => sample[key]),
        0.5,
      ),
    );
    return {
      measured,
      value: after,
      unit,
      baseline: 'second quarter',
      baselineValue: before,
      ratio: after / before,
      goal: { of: 'ratio', most: MOST_GROWTH },
    };
  });
}

/** What there is to say of it, in one line, and whether anything grew; what could not be measured counts as grown. */
export function verdictOn(rows: readonly Row[]): {
  readonly hasGrown: boolean;
  readonly line: string;
} {
  const grown = rows.filter(({ ratio = NaN }) => !(ratio <= MOST_GROWTH));
  const told = (grown.length > 0 ? grown : rows).map(
    ({ measured, baselineValue = NaN, value, unit }) =>
      `${measured} ${baselineValue.toFixed(unit === 'MB' ? 1 : 0)} → ${value.toFixed(unit === 'MB' ? 1 : 0)}${unit === 'MB' ? ' MB' : ''}`,
  );
  const limit = `limit ${MOST_GROWTH} × from the second to the last quarter`;
  const hasGrown = grown.length > 0;
  return {
    hasGrown,
    line: `${hasGrown ? 'It grew' : 'It did not grow'} (${limit}): ${told.join(', ')}`,
  };
}
