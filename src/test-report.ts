import type { Trial } from './fire/trial.ts';
import type { TestReport } from './runtime.ts';

/** The report of a test call, in the shape of the test endpoint. */
export function reportOf({ verdict, input, logs, failures, asides }: Trial): TestReport {
  return {
    action: verdict.action,
    ...(verdict.reason !== undefined && { reason: verdict.reason }),
    ...(verdict.code !== undefined && { code: verdict.code }),
    input,
    output: verdict.payload,
    modified: verdict.isModified,
    blocked: verdict.action === 'block',
    hooks: verdict.trace.map(({ hook, ...step }) => {
      const detail = failures.find((failure) => failure.hook === hook)?.detail;
      const said = asides.flatMap((aside) => (aside.hook === hook ? [aside.text] : []));
      return {
        name: hook,
        ...step,
        ...(detail !== undefined && { detail }),
        ...(said.length > 0 && { said }),
      };
    }),
    notRun: verdict.notRun,
    logs,
    verdict,
  };
}
