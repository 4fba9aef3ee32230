import { FactList } from './fact-list.tsx';
import type { Trace } from '../../api/decision-shapes.ts';
import { ActionTag } from '../../parts/action-tag.tsx';
import { showDay, showMs } from '../../parts/figures.ts';
import { DetailFrame } from './detail-frame.tsx';
import { TraceSteps } from './trace-steps.tsx';

/** One fire: which hook answered what, in which order and time, and which did not run. */
export function TraceView({
  trace,
  onClose,
}: {
  readonly trace: Trace;
  readonly onClose: () => void;
}) {
  const { point, action, code, reason, time, ms } = trace;
  const facts = {
    Time: `${showDay(time)}, took ${showMs(ms)}`,
    Session: trace.sessionId,
    Turn: trace.turnId,
    Agent: trace.agentId,
    'Tool call': trace.toolCallId,
    Id: trace.fireId,
  };
  return (
    <DetailFrame title={point} onClose={onClose}>
      <div class="row">
        <ActionTag action={action} />
        {code !== undefined && <code>{code}</code>}
      </div>
      {reason !== undefined && !trace.hooks.some((run) => run.reason === reason) && (
        <p class="reason">{reason}</p>
      )}
      <TraceSteps trace={trace} />
      <FactList facts={facts} />
    </DetailFrame>
  );
}
