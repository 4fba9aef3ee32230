import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** What stands beside a list, or over it on narrow screens. Escape closes it, and what had the focus has it again. */
export function DetailFrame({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    frame.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <section
      ref={frame}
      class="panel detail"
      tabIndex={-1}
      aria-label={title}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header>
        <h2 class="name">{title}</h2>
        <button type="button" class="button quiet" onClick={onClose}>
          Close
        </button>
      </header>
      {children}
    </section>
  );
}
