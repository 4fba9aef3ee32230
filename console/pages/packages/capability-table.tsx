import type { CapabilityRow } from '../../api/package-shapes.ts';
import { showCount } from '../../parts/figures.ts';

/** Declared, granted and used, capability by capability. */
export function CapabilityTable({
  rows,
  canChange,
  onChange,
}: {
  readonly rows: readonly CapabilityRow[];
  readonly canChange: boolean;
  readonly onChange: (capability: string, method: 'PUT' | 'DELETE') => void;
}) {
  if (rows.length === 0) return <p class="soft">It declares no capability.</p>;
  const hasSeveral = new Set(rows.map(({ hook }) => hook)).size > 1;
  return (
    <table class="matrix">
      <thead>
        <tr>
          <th scope="col">Capability</th>
          <th scope="col">Declared</th>
          <th scope="col">Granted</th>
          <th scope="col" class="number">
            Used
          </th>
          <th scope="col">Last used</th>
          {canChange && (
            <th scope="col">
              <span class="unseen">Change</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ hook, capability, declared, granted, used, lastUsed }) => (
          <tr key={`${hook} ${capability}`}>
            <th scope="row" class="name">
              <code>{capability}</code>
              {hasSeveral && <span class="soft small block">{hook}</span>}
            </th>
            <td data-label="Declared">
              <Mark isSet={declared} />
            </td>
            <td data-label="Granted">
              {declared && !granted ? <span class="tag danger">no</span> : <Mark isSet={granted} />}
            </td>
            <td data-label="Used" class="number">
              {showCount(used)}
            </td>
            <td data-label="Last used" class="soft small">
              {lastUsed ?? 'never'}
            </td>
            {canChange && (
              <td class="number change">
                {granted ? (
                  <button
                    type="button"
                    class="button quiet stop"
                    aria-label={`Revoke ${capability}`}
                    onClick={() => onChange(capability, 'DELETE')}
                  >
                    Revoke
                  </button>
                ) : (
                  declared && (
                    <button
                      type="button"
                      class="button quiet"
                      aria-label={`Give back ${capability}`}
                      onClick={() => onChange(capability, 'PUT')}
                    >
                      Give back
                    </button>
                  )
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Mark({ isSet }: { readonly isSet: boolean }) {
  return isSet ? <span class="tag clear">yes</span> : <span class="soft">–</span>;
}
