import type { Coverage } from '../../coverage/coverage.ts';
import type { Terminal } from '../terminal.ts';

/** Prints the points that were called, and what to look at. */
export function showCoverage(
  terminal: Pick<Terminal, 'table' | 'line'>,
  { points, openPaths, hooksNeverRun, passedDespiteFailure }: Coverage,
): void {
  terminal.table(
    ['point', 'hooks', 'calls', 'without a hook'],
    points.map(({ point, hooks, calls, withoutHook }) =>
      [point, hooks, calls, withoutHook].map(String),
    ),
  );
  for (const { point, source, isSubAgent, withoutHook } of openPaths) {
    const by = isSubAgent ? `${source}, by a sub-agent` : source;
    terminal.line(`No hook looked at ${withoutHook} of ${point} from ${by}`);
  }
  for (const { hook, point, calls } of hooksNeverRun) {
    const why = calls === 0 ? 'which was never called' : `which was called ${calls} times`;
    terminal.line(`${hook} never ran at ${point}, ${why}`);
  }
  if (passedDespiteFailure > 0) {
    terminal.line(`${passedDespiteFailure} calls went on although a hook failed`);
  }
}

/** One line for the end of a server. */
export function coverageLine(coverage: Coverage): string {
  const { points, hooksNeverRun, passedWithoutHook, passedDespiteFailure } = coverage;
  const calls = points.reduce((sum, point) => sum + point.calls, 0);
  const never = new Set(hooksNeverRun.map(({ hook }) => hook)).size;
  return `${calls} calls at ${points.length} points: ${passedWithoutHook} without a hook, ${passedDespiteFailure} in spite of a failure; bound hooks that missed a point of theirs: ${never}`;
}
