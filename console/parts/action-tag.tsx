const LOOKS: Readonly<Record<string, string>> = {
  allow: 'clear',
  block: 'danger',
  ask: 'caution',
  modify: 'route',
  result: 'route',
  rework: 'caution',
  suppress: 'caution',
};

/** What was decided, as a word with its colour. */
export function ActionTag({
  action,
  wouldBe = false,
}: {
  readonly action: string;
  readonly wouldBe?: boolean;
}) {
  const word = wouldBe ? `would ${action}` : action;
  return <span class={`tag ${LOOKS[action] ?? ''}`}>{word}</span>;
}
