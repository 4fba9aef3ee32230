import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** What every page has: its title, for the tab too, and a sentence on what it is for. */
export interface PageProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** Stands beside the title. */
  readonly tools?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The frame of a page. */
export function Page({ title, lead, tools, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Signalbox`;
  }, [title]);
  return (
    <main class="page" id="page" tabIndex={-1}>
      <header>
        <div>
          <h1 class="name">{title}</h1>
          {lead !== undefined && <p>{lead}</p>}
        </div>
        {tools}
      </header>
      {children}
    </main>
  );
}
