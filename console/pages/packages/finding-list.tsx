import type { Finding } from '../../api/package-shapes.ts';

const LOOKS = { drift: 'danger', warning: 'caution', notice: '' } as const;

/** What the audit would have an operator look at. */
export function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section class="panel" aria-label="What to look at">
      <h2>What to look at</h2>
      <ul class="history">
        {findings.map(({ kind, weight, package: name, hook, detail }, at) => (
          <li key={at}>
            <span>
              <span class={`tag ${LOOKS[weight]}`}>{kind.replaceAll('_', ' ')}</span>
            </span>
            <span class="name">
              {hook ?? name} <span class="soft small block">{detail}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
