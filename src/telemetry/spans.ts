import type { FireObserver, ObservedFire, ObservedRun } from '../fire/observer.ts';
import type { Origin } from './traceparent.ts';
import { readTraceparent } from './traceparent.ts';

/** Values of a span's attributes by name; absent ones are left out. */
export type SpanFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span that is over. */
export interface FinishedSpan {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly endTime: number;
  readonly fields: SpanFields;
  /** The code of what failed. */
  readonly failure?: string | undefined;
}

/** Where spans go. */
export interface SpanSink<Parent> {
  /** Under an origin elsewhere, else under whatever is active in the caller's task. */
  root(span: FinishedSpan, origin: Origin | undefined): Parent;
  child(span: FinishedSpan, parent: Parent): void;
}

/** Fires whose runs in shadow mode may still come. */
const KEPT_FIRES = 1000;

/** A span for each fire and each run of a hook in it, made once they are over. */
export function createSpanObserver<Parent>(
  sink: SpanSink<Parent>,
  now: () => number,
): Required<FireObserver> {
  const fires = new Map<string, Parent>();
  return {
    onVerdict(fire) {
      const { startTime, ms, hooks, traceparent } = fire;
      const parent = sink.root(
        {
          name: `fire ${fire.point}`,
          startTime,
          endTime: startTime + ms,
          fields: fireFields(fire),
          failure: hooks.some(({ code }) => code !== undefined) ? fire.code : undefined,
        },
        readTraceparent(traceparent),
      );
      // Hooks run one after the other; what is between them is not worth a clock.
      let time = startTime;
      for (const run of hooks) {
        sink.child(runSpan(run, time), parent);
        time += run.ms;
      }
      fires.set(fire.fireId, parent);
      // There is a first: one was just added.
      if (fires.size > KEPT_FIRES) fires.delete(fires.keys().next().value as string);
    },
    onShadow({ fireId }, run) {
      const parent = fires.get(fireId);
      if (parent === undefined) return;
      const span = runSpan(run, now() - run.ms);
      sink.child({ ...span, fields: { ...span.fields, 'signalbox.shadow': true } }, parent);
    },
  };
}

/** Names of OpenTelemetry's conventions for generative AI where they have one, and no payload values. */
function fireFields(fire: ObservedFire): SpanFields {
  const { toolName } = fire;
  return {
    'gen_ai.conversation.id': fire.sessionId,
    'gen_ai.agent.id': fire.agentId,
    'gen_ai.tool.call.id': fire.toolCallId,
    // A model can write anything where the name of a tool belongs.
    'gen_ai.tool.name': toolName !== undefined && TOOL_NAME.test(toolName) ? toolName : undefined,
    'signalbox.point': fire.point,
    'signalbox.action': fire.action,
    'signalbox.hook': fire.hook,
    'signalbox.code': fire.code,
    'signalbox.fire.id': fire.fireId,
    'signalbox.turn.id': fire.turnId,
    'signalbox.approval.id': fire.approvalId,
    'signalbox.not_run': fire.notRun.length === 0 ? undefined : fire.notRun.join(','),
  };
}

const TOOL_NAME = /^[\w.:/-]{1,128}$/;

function runSpan(run: ObservedRun, startTime: number): FinishedSpan {
  return {
    name: `hook ${run.hook}`,
    startTime,
    endTime: startTime + run.ms,
    fields: {
      'signalbox.hook': run.hook,
      'signalbox.package.name': run.package,
      'signalbox.package.version': run.version,
      'signalbox.action': run.action,
      'signalbox.code': run.code,
      'signalbox.modified': run.modified,
    },
    failure: run.code,
  };
}
