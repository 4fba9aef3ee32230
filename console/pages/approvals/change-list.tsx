import type { Change } from '../../api/approval-shapes.ts';
import { showJson } from '../../parts/figures.ts';

/** What hooks changed, value by value. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p class="soft small">No hook changed anything in it.</p>;
  return (
    <>
      <h3>What hooks changed in it</h3>
      <ul class="changes">
        {changes.map(({ hook, path, before, after }, at) => (
          <li key={at}>
            <p class="small">
              <code>{path}</code> <span class="soft">by {hook}</span>
            </p>
            {before !== undefined && (
              <pre class="removed">
                <span class="unseen">Before: </span>
                {showJson(before)}
              </pre>
            )}
            {after !== undefined && (
              <pre class="added">
                <span class="unseen">After: </span>
                {showJson(after)}
              </pre>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
