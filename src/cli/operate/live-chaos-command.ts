import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveFault } from '../../chaos/live-faults.ts';
import { printable } from '../../config/printable.ts';
import type { ChaosFlags } from '../chaos-command.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { callServer, type ServerAnswer, type ServerFlags } from './server-call.ts';

/** Options of `signalbox chaos --live`. */
export interface LiveChaosFlags extends ChaosFlags, ServerFlags {
  readonly force?: boolean;
  readonly reason?: string;
}

const LOOK_MS = 300;
const PATH = '/v1/chaos';

/** Has a server make a hook of its own fail for its next calls, waits until they came, and shows what callers got. */
export async function runLiveChaos(
  session: Session,
  hook: string,
  { fault, calls, expect, url, force, reason }: LiveChaosFlags,
): Promise<number> {
  const { terminal, signal } = session;
  const body = {
    hook,
    fault,
    calls,
    ...(force === true && { force }),
    ...(reason !== undefined && { reason }),
  };
  let answer = await callServer(session, { method: 'POST', path: PATH, url, body });
  while (isAtWork(answer)) {
    terminal.progress(`${faultIn(answer)?.met ?? 0} of ${calls} calls; Ctrl+C puts the hook back`);
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      // What is interrupted is the wait, and the hook must not stay as it is.
      const last = { ...session, signal: new AbortController().signal };
      answer = await callServer(last, { method: 'DELETE', path: PATH, url });
      break;
    }
    answer = await callServer(session, { method: 'GET', path: PATH, url }).catch(
      (error: unknown) => {
        if (signal.aborted) return answer;
        throw error;
      },
    );
  }
  terminal.progress();
  if (!answer.ok) {
    const { code, message } = answer;
    if (terminal.isJson) terminal.json({ error: { code, message } });
    else terminal.note(`${message} (${code})`);
    return EXIT.usage;
  }
  const met = faultIn(answer);
  if (terminal.isJson) terminal.json(answer.body);
  else if (met !== undefined) {
    terminal.note(`${printable(hook)}, ${fault}: ${met.met} calls met it, and the hook is back`);
    terminal.table(
      ['point', 'calls', 'callers got', 'code'],
      met.points.map(({ point, got, codes, calls: count }) => [
        point,
        count,
        counted(got),
        counted(codes),
      ]),
    );
  }
  if (signal.aborted) return EXIT.interrupted;
  const isOtherwise = met?.points.some(({ got }) => Object.keys(got).some((one) => one !== expect));
  return expect !== undefined && isOtherwise === true ? EXIT.problems : EXIT.ok;
}

function isAtWork(answer: ServerAnswer): boolean {
  const fault = faultIn(answer);
  return fault !== undefined && fault.ended === undefined;
}

function faultIn(answer: ServerAnswer): LiveFault | undefined {
  // The server is ours by the token, and what it says is only shown.
  return answer.ok ? (answer.body as { readonly fault?: LiveFault } | undefined)?.fault : undefined;
}

function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
