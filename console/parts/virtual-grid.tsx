import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A long list of which only the rows in sight exist. */
export interface VirtualGridProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly rowPx: number;
  readonly columns: readonly string[];
  readonly keyOf: (row: T) => string;
  /** Cells, each with the role `gridcell`. */
  readonly cells: (row: T) => ComponentChildren;
  readonly opened: string;
  readonly onOpen: (row: T) => void;
  /** The last rows are in sight. */
  readonly onEnd?: () => void;
  /** For the columns' widths. */
  readonly class: string;
}

const SPARE_ROWS = 8;

/** Shows rows of one height. Arrows, j and k go through them, Enter opens one. What is being read stays where it is when rows come in above it. */
export function VirtualGrid<T>(props: VirtualGridProps<T>) {
  const { label, rows, rowPx, columns, keyOf, cells, opened, onOpen, onEnd } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [active, setActive] = useState('');
  useAnchor(box, props);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(current.clientHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(top / rowPx) - SPARE_ROWS);
  const end = Math.min(rows.length, Math.ceil((top + height) / rowPx) + SPARE_ROWS);
  useEffect(() => {
    if (end === rows.length && rows.length > 0) onEnd?.();
  }, [end, rows.length]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = rows.findIndex((row) => keyOf(row) === active);
    const row = rows[at];
    if ((event.key === 'Enter' || event.key === ' ') && row !== undefined) {
      event.preventDefault();
      onOpen(row);
      return;
    }
    const next = nextIndex(event.key, at, { count: rows.length, page: Math.floor(height / rowPx) });
    const target = next === undefined ? undefined : rows[next];
    if (next === undefined || target === undefined) return;
    event.preventDefault();
    setActive(keyOf(target));
    reveal(box.current, next * rowPx, rowPx);
  };

  return (
    <div
      ref={box}
      class={`grid ${props.class}`}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      {...(active !== '' && { 'aria-activedescendant': `row-${active}` })}
    >
      <div role="rowgroup" class="grid-head">
        <div role="row" aria-rowindex={1} class="grid-row">
          {columns.map((column) => (
            <span key={column} role="columnheader">
              {column}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${rows.length * rowPx}px` }}>
        {rows.slice(first, end).map((row, at) => {
          const key = keyOf(row);
          return (
            <div
              key={key}
              id={`row-${key}`}
              role="row"
              class={`grid-row${key === active ? ' active' : ''}`}
              aria-rowindex={first + at + 2}
              aria-selected={key === opened}
              style={{ transform: `translateY(${(first + at) * rowPx}px)`, height: `${rowPx}px` }}
              onClick={() => {
                setActive(key);
                onOpen(row);
              }}
            >
              {cells(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Keeps the rows in sight where they are while others come in above them. */
function useAnchor<T>(
  box: { readonly current: HTMLDivElement | null },
  { rows, rowPx, keyOf }: VirtualGridProps<T>,
): void {
  const before = useRef<{ key: string; at: number }>();
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    const anchor = before.current;
    if (anchor !== undefined && current.scrollTop > 0) {
      const now = rows.findIndex((row) => keyOf(row) === anchor.key);
      if (now > anchor.at) current.scrollTop += (now - anchor.at) * rowPx;
    }
    const at = Math.min(rows.length - 1, Math.floor(current.scrollTop / rowPx));
    const row = rows[at];
    before.current = row === undefined ? undefined : { key: keyOf(row), at };
  }, [rows]);
}

function nextIndex(
  key: string,
  at: number,
  { count, page }: { readonly count: number; readonly page: number },
): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(last, at + 1);
    case 'ArrowUp':
    case 'k':
      return Math.max(0, at - 1);
    case 'PageDown':
      return Math.min(last, at + page);
    case 'PageUp':
      return Math.max(0, at - page);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

function reveal(box: HTMLDivElement | null, top: number, rowPx: number): void {
  if (box === null) return;
  const room = box.clientHeight - 2 * rowPx;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + room) box.scrollTop = top - room;
}
