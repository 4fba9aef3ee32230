import { now, defineHidden } from '../intrinsics.ts';
import { defineOperation, tag } from './interface.ts';

/** Makes `performance`: whole milliseconds since the isolate was made, never going back. */
export function createPerformance(): object {
  const timeOrigin = now();
  let lastMs = 0;
  const elapsedMs = (): number => {
    const ms = now() - timeOrigin;
    if (ms > lastMs) lastMs = ms;
    return lastMs;
  };
  const performance = {};
  defineOperation(performance, 'now', elapsedMs);
  defineOperation(performance, 'toJSON', () => ({ timeOrigin }));
  defineHidden(performance, 'timeOrigin', timeOrigin);
  tag(performance, 'Performance');
  return performance;
}
