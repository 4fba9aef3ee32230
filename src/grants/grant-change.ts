import { entails, parseCapability } from '../../sdk/capabilities.ts';

/**
 * A change of what a hook, or every hook of a package, may do. `revoke` takes capabilities away with every scope of
 * theirs; `narrow` leaves of the same names only those listed; `restore` lifts both.
 */
export interface GrantChange {
  readonly action: 'revoke' | 'narrow' | 'restore';
  /** Name of a hook or package. */
  readonly target: string;
  readonly capabilities: readonly string[];
  /** Who did it. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** The changes that are not lifted by a later one. */
export function standing(changes: readonly GrantChange[]): readonly GrantChange[] {
  let kept: GrantChange[] = [];
  for (const change of changes) {
    if (change.action !== 'restore') {
      kept.push(change);
      continue;
    }
    kept = kept.flatMap((earlier) => {
      if (earlier.target !== change.target) return [earlier];
      const capabilities = earlier.capabilities.filter(
        (text) => !change.capabilities.some((lifted) => entails(lifted, text)),
      );
      // A narrowing without anything to leave would take all: lifted in part, it is lifted.
      const isWhole = capabilities.length === earlier.capabilities.length;
      if (isWhole) return [earlier];
      return earlier.action === 'narrow' || capabilities.length === 0
        ? []
        : [{ ...earlier, capabilities }];
    });
  }
  return kept;
}

/** What is left of grants after a change; never more than before. */
export function restricted(
  granted: readonly string[],
  { action, capabilities }: Pick<GrantChange, 'action' | 'capabilities'>,
): readonly string[] {
  switch (action) {
    case 'restore':
      return granted;
    case 'revoke':
      return granted.filter((text) => !capabilities.some((taken) => entails(taken, text)));
    case 'narrow': {
      const names = new Set(capabilities.map(nameOf));
      const left = granted.flatMap((text) => {
        if (!names.has(nameOf(text))) return [text];
        if (capabilities.some((kept) => entails(kept, text))) return [text];
        return capabilities.filter((kept) => entails(text, kept));
      });
      return [...new Set(left)];
    }
  }
}

function nameOf(text: string): string {
  return parseCapability(text)?.name ?? text;
}
