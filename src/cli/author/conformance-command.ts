import { SignalboxError } from '../../../sdk/errors.ts';
import { nearest } from '../../config/nearest.ts';
import { checkConformance } from '../../testing/conformance.ts';
import { outcomeOf } from '../../testing/outcome.ts';
import { EXIT } from '../exit-code.ts';
import { withRuntime, type Session } from '../session.ts';

/** Runs a hook on empty, huge, odd and hostile payloads at each of its points, and tells what it should not do. */
export async function runConformance(session: Session, hook: string): Promise<number> {
  const { terminal } = session;
  return withRuntime(session, { level: 'silent' }, async (runtime) => {
    const { hooks } = runtime.inventory();
    const row = hooks.find((one) => one.hook === hook);
    if (row === undefined) {
      const names = hooks.map((one) => one.hook);
      throw new SignalboxError('hook_unknown', { hook, nearest: nearest(hook, names) ?? '' });
    }
    const problems = await checkConformance({
      points: row.points.map(({ point }) => point),
      async run(point, payload) {
        terminal.progress(`${point}`);
        return outcomeOf(await runtime.test({ point, hookName: hook, payload }));
      },
    });
    terminal.progress();
    if (terminal.isJson) for (const problem of problems) terminal.json({ hook, ...problem });
    else if (problems.length === 0) terminal.line(`${hook} conforms`);
    else {
      terminal.table(
        ['point', 'payload', 'problem'],
        problems.map(({ point, payload, problem }) => [point, payload, problem]),
      );
    }
    return problems.length === 0 ? EXIT.ok : EXIT.problems;
  });
}
