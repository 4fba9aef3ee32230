import type { Queued, Task } from '../task.ts';
import type { SandboxProcess } from './sandbox-process.ts';

/** New sessions that wait for this long are worth a further process. */
const CROWDED_MS = 5;

/** Whether more sessions come than the processes get done. */
export function isCrowded(queue: readonly Queued[], processes: readonly SandboxProcess[]): boolean {
  const cutoff = performance.now() - CROWDED_MS;
  const isHomeless = ({ task, since }: Queued): boolean =>
    since < cutoff && !processes.some(({ places }) => places.has(task.source.name, task.sessionId));
  return queue.some(isHomeless);
}

/** Whether a load is of no use any more: a call has brought the hook up. */
export function isNeedless(
  { isWarmUp, source }: Task,
  processes: readonly SandboxProcess[],
): boolean {
  return (
    isWarmUp === true &&
    processes.some(({ child, places }) => child.isAlive && places.isUp(source.name))
  );
}
