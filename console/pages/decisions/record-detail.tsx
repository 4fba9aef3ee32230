import { FactList } from './fact-list.tsx';
import { useResource } from '../../api/resource.ts';
import type { DecisionDetail, DecisionRecord, Trace } from '../../api/decision-shapes.ts';
import { ActionTag } from '../../parts/action-tag.tsx';
import { showDay, showMs } from '../../parts/figures.ts';
import { Loaded } from '../../parts/notes.tsx';
import { DetailFrame } from './detail-frame.tsx';
import { TraceSteps } from './trace-steps.tsx';

/** One record with the trace of its fire; of a fire that is no longer in memory, what its other hooks have on record. */
export function RecordDetail({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}) {
  const detail = useResource<DecisionDetail>(`/v1/decisions/${encodeURIComponent(id)}`);
  return (
    <DetailFrame title="Recorded decision" onClose={onClose}>
      <Loaded from={detail}>
        {({ record, trace, siblings }) =>
          record === undefined ? (
            trace !== undefined && <TraceSteps trace={trace} />
          ) : (
            <Detail
              record={record}
              trace={trace ?? pastTrace(record, siblings)}
              isPast={trace === undefined}
            />
          )
        }
      </Loaded>
    </DetailFrame>
  );
}

function Detail({
  record,
  trace,
  isPast,
}: {
  readonly record: DecisionRecord;
  readonly trace: Trace;
  readonly isPast: boolean;
}) {
  const facts = {
    Hook: record.hook,
    Package: record.package && `${record.package} ${record.version ?? ''}`,
    Point: record.point,
    Time: `${showDay(record.time)}, took ${showMs(record.durationMs)}`,
    Session: record.sessionId,
    Turn: record.turnId,
    'Tool call': record.toolCallId,
    Id: record.id,
  };
  return (
    <>
      <div class="row">
        <ActionTag
          action={record.wouldBlock ? 'block' : record.action}
          wouldBe={record.wouldBlock}
        />
        {record.code !== undefined && <code>{record.code}</code>}
      </div>
      {record.reason !== undefined && <p class="reason">{record.reason}</p>}
      <TraceSteps trace={trace} />
      {isPast && (
        <p class="soft small">
          The whole trace is no longer in memory. These are the answers on record: plain allows and
          hooks that did not run are not among them.
        </p>
      )}
      <FactList facts={facts} />
    </>
  );
}

/** As much of the trace of a fire as its records tell. */
function pastTrace(record: DecisionRecord, siblings: readonly DecisionRecord[]): Trace {
  const { id, fireId = id, point, time, durationMs: ms, action } = record;
  const hooks = (siblings.length > 0 ? siblings : [record]).map((sibling) => ({
    ...sibling,
    ms: sibling.durationMs,
  }));
  return { fireId, point, time, ms, action, hooks, notRun: [] };
}
