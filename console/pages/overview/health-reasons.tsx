/** Why the health is not what it should be. */
export function HealthReasons({ reasons }: { readonly reasons: readonly unknown[] }) {
  if (reasons.length === 0) return null;
  return (
    <section class="note bad" aria-label="What is wrong">
      <strong>Some guards are not up</strong>
      <ul class="reasons">
        {reasons.map((reason, at) => (
          <li key={at}>{describe(reason)}</li>
        ))}
      </ul>
    </section>
  );
}

function describe(reason: unknown): string {
  if (typeof reason === 'string') return reason;
  const { hook, code, message } = reason as Readonly<Record<string, unknown>>;
  return [hook, code, message].filter((part) => typeof part === 'string').join(' · ');
}
