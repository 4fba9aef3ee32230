/** Text that is shown ahead of its end, as far as hooks have looked at it and had nothing against it. */
export interface TextWindow {
  /** Takes a piece and gives back what may be shown by now; empty when nothing may. */
  add(piece: string): Promise<string>;
  /** The rest of a text that is at its end, if hooks have nothing against it. */
  finish(): Promise<string | undefined>;
}

/** What a window is made of. */
export interface WindowParts {
  /** No hook's decision hangs on a longer stretch, counted in UTF-16 code units. */
  readonly longestMatch: number;
  /** Whether hooks let a piece pass as it is. */
  readonly isClean: (piece: string) => Promise<boolean>;
}

/** New text that is looked at together, at least: hooks are not asked about every token. */
const STEP_CHARS = 64;

/**
 * Opens a window on a text. What begins in the part that is let out ends in the part that was looked at, so that no
 * match is let out by halves. After the first piece that hooks do not let pass, nothing more is let out.
 */
export function openWindow({ longestMatch, isClean }: WindowParts): TextWindow {
  const kept = longestMatch - 1;
  const size = kept + Math.max(STEP_CHARS, longestMatch);
  // Let out already: what stands before a piece is shown to hooks with it.
  let before = '';
  let held = '';
  let isOpen = true;
  return {
    async add(piece) {
      held += piece;
      let released = '';
      while (isOpen && held.length >= size) {
        const end = wholeEnd(held, size);
        isOpen = await isClean(before + held.slice(0, end));
        if (!isOpen) break;
        const cut = wholeEnd(held, end - kept);
        released += held.slice(0, cut);
        before = (before + held.slice(0, cut)).slice(-longestMatch);
        held = held.slice(cut);
      }
      return released;
    },
    async finish() {
      isOpen &&= held === '' || (await isClean(before + held));
      return isOpen ? held : undefined;
    },
  };
}

/** The end of a piece that does not cut a character in half. */
function wholeEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? end - 1 : end;
}
