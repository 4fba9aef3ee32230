import { useResource } from '../../api/resource.ts';
import type { DecisionDetail } from '../../api/shapes.ts';
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
      <Loaded from={detail}>{(value) => <Detail detail={value} />}</Loaded>
    </DetailFrame>
  );
}

function Detail({ detail: { record, trace, siblings } }: { readonly detail: DecisionDetail }) {
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
      <TraceSteps
        trace={
          trace ?? {
            fireId: record.fireId ?? record.id,
            point: record.point,
            time: record.time,
            ms: record.durationMs,
            action: record.action,
            notRun: [],
            hooks: (siblings.length > 0 ? siblings : [record]).map((sibling) => ({
              ...sibling,
              ms: sibling.durationMs,
            })),
          }
        }
      />
      {trace === undefined && (
        <p class="soft small">
          The whole trace is no longer in memory. These are the answers on record: plain allows and
          hooks that did not run are not among them.
        </p>
      )}
      <dl class="facts small">
        {Object.entries(facts)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <div key={name} class="fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </>
  );
}
