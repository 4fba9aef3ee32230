import { interceptionOf } from '../../sdk/contracts/agent-os-trace.ts';
import type { Action } from '../../sdk/decisions.ts';
import { isPoint } from '../../sdk/points.ts';
import type { Records } from '../records/records.ts';

/** A line of a session's transcript: what a hook did, never the data that it saw. */
export interface TranscriptLine {
  readonly time: string;
  readonly kind: 'hook';
  readonly metadata: {
    readonly point: string;
    readonly hook: string;
    readonly action: string;
    readonly turn?: string;
    readonly tool_call?: string;
  };
}

/** Points whose decisions stand in the transcript; source: agent-os, tracing of interventions. */
const POINTS = ['before_tool_call', 'after_tool_result', 'before_inference'];
const MAX_LINES = 1000;

/** The last decisions of hooks in a session, oldest first, as agent-os writes them between the messages. */
export async function readTranscript(
  records: Pick<Records, 'query'>,
  sessionId: string,
): Promise<readonly TranscriptLine[]> {
  const page = await records.query({ session: sessionId, limit: MAX_LINES });
  return page.records.toReversed().flatMap((record): TranscriptLine[] => {
    const { point, hook, action, code, time, turnId, toolCallId } = record;
    if (!isPoint(point) || code !== undefined) return [];
    // What is kept is an action of ours.
    const said = interceptionOf(point, { action: action as Action });
    if (said === undefined || !POINTS.includes(said.point)) return [];
    const metadata = {
      ...said,
      hook,
      ...(turnId !== undefined && { turn: turnId }),
      ...(toolCallId !== undefined && { tool_call: toolCallId }),
    };
    return [{ time, kind: 'hook', metadata }];
  });
}
