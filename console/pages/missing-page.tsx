import { Link } from 'wouter-preact';

import { EmptyNote } from '../parts/notes.tsx';
import { Page } from '../parts/page.tsx';

/** What stands at an address that leads nowhere. */
export function MissingPage() {
  return (
    <Page title="No such page">
      <EmptyNote title="This line ends here">
        Go back to the <Link href="/">overview</Link>.
      </EmptyNote>
    </Page>
  );
}
