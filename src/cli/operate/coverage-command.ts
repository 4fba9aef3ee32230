import type { Coverage } from '../../coverage/coverage.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { showCoverage } from './coverage-report.ts';
import { callServer, type ServerFlags } from './server-call.ts';

/** Shows what the hooks of a server saw and what went past them. 1 when something did. */
export async function runCoverage(session: Session, { url }: ServerFlags): Promise<number> {
  const { terminal } = session;
  const answer = await callServer(session, { method: 'GET', path: '/v1/coverage', url });
  if (!answer.ok) {
    const { code, message } = answer;
    if (terminal.isJson) terminal.json({ error: { code, message } });
    else terminal.note(`${message} (${code})`);
    return EXIT.usage;
  }
  // The server is ours by the token, and what it says is only shown.
  const coverage = answer.body as Coverage;
  if (terminal.isJson) terminal.json(coverage);
  else showCoverage(terminal, coverage);
  return coverage.passedWithoutHook + coverage.passedDespiteFailure > 0 ? EXIT.problems : EXIT.ok;
}
