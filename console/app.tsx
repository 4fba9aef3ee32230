import { Route, Router, Switch } from 'wouter-preact';
import { useHashLocation } from 'wouter-preact/use-hash-location';

import { isLocked } from './api/token.ts';
import { ApprovalsPage } from './pages/approvals-page.tsx';
import { DecisionsPage } from './pages/decisions-page.tsx';
import { HookPage } from './pages/hook-page.tsx';
import { LockedPage } from './pages/locked-page.tsx';
import { MissingPage } from './pages/missing-page.tsx';
import { OverviewPage } from './pages/overview-page.tsx';
import { PackagesPage } from './pages/packages-page.tsx';
import { ReplayPage } from './pages/replay-page.tsx';
import { TryPage } from './pages/try-page.tsx';
import { Shell } from './parts/shell.tsx';

/** The console. Its places are in the hash, so that the server serves one page and no more. */
export function App() {
  if (isLocked.value) return <LockedPage />;
  return (
    <Router hook={useHashLocation}>
      <Shell>
        <Switch>
          <Route path="/" component={OverviewPage} />
          <Route path="/decisions/:id?">{({ id }) => <DecisionsPage id={id ?? ''} />}</Route>
          <Route path="/approvals/:id?">{({ id }) => <ApprovalsPage id={id ?? ''} />}</Route>
          <Route path="/packages" component={PackagesPage} />
          <Route path="/hooks/:hook">
            {({ hook }) => <HookPage key={hook} hook={plain(hook)} />}
          </Route>
          <Route path="/try/:point?/:hook?">
            {({ point, hook }) => (
              <TryPage key={`${point}/${hook}`} point={point ?? ''} hook={plain(hook ?? '')} />
            )}
          </Route>
          <Route path="/replay" component={ReplayPage} />
          <Route component={MissingPage} />
        </Switch>
      </Shell>
    </Router>
  );
}

/** A name as it was before it became a part of an address: the router leaves slashes in it encoded. */
function plain(part: string): string {
  return part.replaceAll(/%2f/gi, '/');
}
