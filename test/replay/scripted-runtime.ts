import type { Point } from '../../sdk/points.ts';
import type { Inventory, Runtime, TestReport, TestRequest } from '../../src/runtime.ts';
import type { Context, Verdict } from '../../src/verdict.ts';

type Payload = Record<string, unknown>;
type Answer = Partial<Verdict>;

/** What the scripted runtime says at a point: parts of a verdict, or a throw. */
export type Script = {
  readonly [P in Point]?: (payload: Payload, context?: Context) => Answer | Promise<Answer>;
} & {
  readonly inventory?: Inventory;
  readonly test?: (request: TestRequest) => Promise<TestReport>;
};

/** A runtime whose verdicts are written down, for what is about the caller alone. */
export function scriptedRuntime(script: Script): Runtime & {
  readonly fired: { point: Point; payload: Payload; context: Context | undefined }[];
  readonly ended: string[];
} {
  const fired: { point: Point; payload: Payload; context: Context | undefined }[] = [];
  const ended: string[] = [];
  return {
    fired,
    ended,
    async fire(point, payload, context) {
      fired.push({ point, payload: payload as Payload, context });
      const answer = await script[point]?.(payload as Payload, context);
      const verdict = {
        id: `v${fired.length}`,
        action: 'allow',
        payload,
        isModified: false,
        inject: [],
        notices: [],
        outputs: {},
        trace: [],
        notRun: [],
        ...answer,
      };
      // The payload is typed by the point, which a script does not know.
      return verdict as unknown as Verdict<typeof point>;
    },
    async test(request) {
      if (script.test === undefined) throw new Error('no test scripted');
      return script.test(request);
    },
    inventory: () => script.inventory ?? { hooks: [], absent: [], warnings: [], health: 'ok' },
    endSession: (sessionId) => void ended.push(sessionId),
    close: async () => undefined,
  };
}
