import { quantile } from '../bench/harness.ts';
import { isMet, type Row } from '../bench/report.ts';
import type { HeapFigures } from './heap.ts';
import type { ProcessFigures } from './process-figures.ts';

/** What a server held at a moment. */
export type Sample = ProcessFigures & HeapFigures;

/** What a figure may differ by when nothing grows: memory is given back late, and processes come and go. */
const MOST_GROWTH = 1.1;

/** Processes of the five packages of the mix, four each, of local hooks, of shadow mode, and spares. */
const MOST_CHILDREN = 32;

const FIGURES: readonly (readonly [keyof Sample, string, Row['unit']])[] = [
  ['heapMb', 'heap of the host after a collection', 'MB'],
  ['externalMb', 'external memory of the host', 'MB'],
  ['hostMb', 'resident memory of the host', 'MB'],
  ['hostDescriptors', 'descriptors of the host, beside pipes to sandboxes', 'x'],
  ['childMb', 'resident memory of a sandbox', 'MB'],
  ['childDescriptors', 'descriptors of a sandbox', 'x'],
];

/** How samples taken at equal intervals grew: the median of each figure in their last quarter against that in the second. */
export function growthOf(samples: readonly Sample[]): readonly Row[] {
  const quarter = (number: number): readonly Sample[] =>
    samples.slice(
      Math.floor((samples.length * (number - 1)) / 4),
      Math.floor((samples.length * number) / 4),
    );
  const median = (number: number, key: keyof Sample): number => {
    const values = quarter(number).map((sample) => sample[key]);
    return quantile(values, 0.5);
  };
  const rows = FIGURES.map(([key, measured, unit]): Row => {
    const [before, after] = [median(2, key), median(4, key)];
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
  // They are as many as calls need at the moment, up to a bound.
  const children = Math.max(...samples.map((sample) => sample.children));
  const goal = { of: 'value', most: MOST_CHILDREN } as const;
  return [...rows, { measured: 'sandboxes, at most', value: children, unit: 'x', goal }];
}

/** What there is to say of it, in one line, and whether anything grew; what could not be measured counts as grown. */
export function verdictOn(rows: readonly Row[]): {
  readonly hasGrown: boolean;
  readonly line: string;
} {
  const grown = rows.filter((row) => isMet(row) === false);
  const hasGrown = grown.length > 0;
  const limit = `limit ${MOST_GROWTH} × from the second to the last quarter`;
  const told = (hasGrown ? grown : rows).map(textOf);
  return {
    hasGrown,
    line: `It ${hasGrown ? 'grew' : 'did not grow'} (${limit}): ${told.join(', ')}`,
  };
}

function textOf({ measured, baselineValue, value, unit }: Row): string {
  const shown = (figure: number): string => figure.toFixed(unit === 'MB' ? 1 : 0);
  const from = baselineValue === undefined ? '' : `${shown(baselineValue)} → `;
  return `${measured} ${from}${shown(value)}${unit === 'MB' ? ' MB' : ''}`;
}
