import type { ConfigChange, ReloadReport } from '../../reload/differences.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { tellReload } from './reload-report.ts';
import { callServer, type ServerFlags } from './server-call.ts';

/** Has a server take over what runtime.json says now. 1 when it refuses to. */
export async function runReload(session: Session, { url }: ServerFlags): Promise<number> {
  const { terminal } = session;
  const answer = await callServer(session, { method: 'POST', path: '/v1/reload', url });
  if (!answer.ok) {
    const { code, message } = answer;
    if (terminal.isJson) terminal.json({ error: { code, message } });
    else terminal.note(`Refused, and nothing changed: ${message} (${code})`);
    return EXIT.problems;
  }
  if (terminal.isJson) terminal.json(answer.body);
  else tellReload(terminal, partsOf(answer.body));
  return EXIT.ok;
}

/** The report as the server wrote it; another server may have written anything. */
function partsOf(body: unknown): ReloadReport {
  const { changed, needsRestart } = (body ?? {}) as Partial<Record<keyof ReloadReport, unknown>>;
  return {
    changed: Array.isArray(changed) ? (changed as ConfigChange[]) : [],
    needsRestart: Array.isArray(needsRestart) ? needsRestart.map(String) : [],
  };
}
