import { Link } from 'wouter-preact';

import type { Trace, TraceHook } from '../../api/decision-shapes.ts';
import { ActionTag } from '../../parts/action-tag.tsx';
import { showMs } from '../../parts/figures.ts';

/** The answers in their order, each with its share of the time; then those that a block kept from running. */
export function TraceSteps({ trace }: { readonly trace: Trace }) {
  const { hooks, notRun, shadow = [] } = trace;
  const whole = Math.max(0.001, sum(hooks), ...shadow.map(({ ms }) => ms));
  let passed = 0;
  const steps = hooks.map((run) => {
    const step = { run, from: passed / whole };
    passed += run.ms;
    return step;
  });
  return (
    <ol class="steps" aria-label="Answers, in order">
      {steps.map(({ run, from }, at) => (
        <Step key={at} run={run} from={from} share={run.ms / whole} />
      ))}
      {notRun.map((hook) => (
        <li key={hook} class="step idle">
          <div class="row">
            <Link class="name" href={`/hooks/${encodeURIComponent(hook)}`}>
              {hook}
            </Link>
            <span class="tag">did not run</span>
          </div>
        </li>
      ))}
      {shadow.map((run, at) => (
        <Step key={`shadow-${at}`} run={run} from={0} share={run.ms / whole} isShadow />
      ))}
    </ol>
  );
}

function Step({
  run,
  from,
  share,
  isShadow = false,
}: {
  readonly run: TraceHook;
  readonly from: number;
  readonly share: number;
  readonly isShadow?: boolean;
}) {
  const { hook, action, code, reason, ms, modified = false } = run;
  return (
    <li class={`step ${code === undefined ? action : 'failed'}`}>
      <div class="row">
        <Link class="name" href={`/hooks/${encodeURIComponent(hook)}`}>
          {hook}
        </Link>
        <ActionTag action={action} wouldBe={isShadow} />
        {modified && action !== 'modify' && <span class="tag route">changed it</span>}
        {code !== undefined && <code>{code}</code>}
        <span class="soft small step-ms">{showMs(ms)}</span>
      </div>
      <div class="step-time" aria-hidden="true">
        <span
          style={{ marginInlineStart: `${from * 100}%`, width: `${Math.max(0.5, share * 100)}%` }}
        />
      </div>
      {reason !== undefined && <p class="small name">{reason}</p>}
    </li>
  );
}

function sum(runs: readonly TraceHook[]): number {
  return runs.reduce((total, { ms }) => total + ms, 0);
}
