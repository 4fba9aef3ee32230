import type { Approval } from '../../api/approval-shapes.ts';
import { Remaining } from './remaining.tsx';

const LOOKS: Readonly<Record<string, string>> = {
  pending: 'caution',
  granted: 'clear',
  used: 'clear',
  denied: 'danger',
  forged: 'danger',
};

/** The questions, newest first. */
export function ApprovalList({
  approvals,
  opened,
  onOpen,
}: {
  readonly approvals: readonly Approval[];
  readonly opened: string;
  readonly onOpen: (id: string) => void;
}) {
  return (
    <ul class="cards" aria-label="Questions">
      {approvals.map(({ id, toolName, point, hook, status, expiresAt, answeredBy }) => (
        <li key={id}>
          <button
            type="button"
            class="card"
            aria-current={id === opened}
            onClick={() => onOpen(id)}
          >
            <span class="card-title name">{toolName ?? point}</span>
            <span class={`tag ${LOOKS[status] ?? ''}`}>{status}</span>
            <span class="soft small name">{hook}</span>
            <span class="soft small">
              {status === 'pending' ? <Remaining until={expiresAt} /> : answeredBy}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
