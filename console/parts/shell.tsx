import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';

import { useResource } from '../api/resource.ts';
import type { Approval } from '../api/approval-shapes.ts';
import type { Me } from '../api/shapes.ts';
import { lock, token } from '../api/token.ts';
import { FaultWall } from './fault-wall.tsx';
import { Icon, type IconName } from './icon.tsx';
import { Session } from './session.ts';
import { ThemeButton } from './theme-button.tsx';

const PLACES: readonly (readonly [string, string, IconName])[] = [
  ['/', 'Overview', 'overview'],
  ['/decisions', 'Decisions', 'decisions'],
  ['/approvals', 'Approvals', 'approvals'],
  ['/packages', 'Packages', 'packages'],
  ['/try', 'Try it', 'try'],
  ['/replay', 'Replay', 'replay'],
];

/** The rail with the ways to the pages, and the page. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [place] = useLocation();
  const waiting = useResource<{ approvals: readonly Approval[] }>(
    '/v1/approvals?status=pending',
    5000,
  );
  const me = useResource<Me>('/v1/me');
  const count = waiting.value?.approvals.length ?? 0;
  return (
    <div class="shell">
      <a class="skip" href="#page" onClick={toPage}>
        Skip to the page
      </a>
      <nav class="rail" aria-label="Pages">
        <Link href="/" class="nameplate">
          Signalbox
        </Link>
        <div class="levers">
          {PLACES.map(([path, label, icon]) => (
            <Link
              key={path}
              href={path}
              class="lever"
              {...(isAt(place, path) && { 'aria-current': 'page' as const })}
            >
              <Icon name={icon} />
              {label}
              {path === '/approvals' && count > 0 && (
                <span class="waiting">
                  {count}
                  <span class="unseen"> waiting</span>
                </span>
              )}
            </Link>
          ))}
        </div>
        <div class="rail-foot">
          <span class="version">
            {me.value === undefined ? '' : `${me.value.version} · ${me.value.role}`}
          </span>
          {token.value !== '' && (
            <button type="button" onClick={lock}>
              Lock
            </button>
          )}
          <ThemeButton />
        </div>
      </nav>
      <Session.Provider value={me.value}>
        <FaultWall key={place.split('/')[1]}>{children}</FaultWall>
      </Session.Provider>
    </div>
  );
}

/** The hash holds the place, so that an anchor cannot be followed in it. */
function toPage(event: Event): void {
  event.preventDefault();
  document.getElementById('page')?.focus();
}

function isAt(place: string, path: string): boolean {
  return path === '/' ? place === '/' || place.startsWith('/hooks/') : place.startsWith(path);
}
