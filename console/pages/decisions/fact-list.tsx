interface FactListProps {
  /** By name; what is not known is left out. */
  readonly facts: Readonly<Record<string, string | undefined>>;
}

/** What else is known of a decision, name by name. */
export function FactList({ facts }: FactListProps) {
  return (
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
  );
}
