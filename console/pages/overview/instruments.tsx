import { Link } from 'wouter-preact';

import type { Overview } from '../../api/shapes.ts';
import { showCount } from '../../parts/figures.ts';

/** The figures that an operator looks at first. */
export function Instruments({ overview }: { readonly overview: Overview }) {
  const { hooks, points, approvalsWaiting, health } = overview;
  const live = hooks.filter(({ state, mode }) => state === 'live' && mode === 'enforce').length;
  const failures = sum(hooks.map(({ failuresLastHour }) => failuresLastHour));
  const calls = sum(points.map((point) => point.calls));
  const isWell = health === 'ok';
  return (
    <dl class="instruments">
      <div class={isWell ? 'well' : 'ill'}>
        <dt>Health</dt>
        <dd>
          <span class="lamp" aria-hidden="true" />
          {isWell ? 'All clear' : capital(health)}
        </dd>
      </div>
      <div>
        <dt>Hooks that guard</dt>
        <dd>
          {live}
          <small> of {hooks.length}</small>
        </dd>
      </div>
      <div class={failures > 0 ? 'ill' : ''}>
        <dt>Failures, last hour</dt>
        <dd>{showCount(failures)}</dd>
      </div>
      <div>
        <dt>Calls</dt>
        <dd>{showCount(calls)}</dd>
      </div>
      <div class={approvalsWaiting > 0 ? 'asks' : ''}>
        <dt>Waiting for you</dt>
        <dd>
          {showCount(approvalsWaiting)}
          {approvalsWaiting > 0 && <Link href="/approvals">Answer</Link>}
        </dd>
      </div>
    </dl>
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
