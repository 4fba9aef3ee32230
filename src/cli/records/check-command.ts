import { printable } from '../../config/printable.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { withRecords } from './open-records.ts';

/** Reads the whole file of the records and says what is wrong with it. */
export async function runRecordCheck(session: Session): Promise<number> {
  const { terminal } = session;
  return withRecords(session, async ({ config, database }) => {
    const problems = await database.check();
    const { file } = config.records;
    if (terminal.isJson) terminal.json({ file, problems });
    else if (problems.length === 0) terminal.line(`"${printable(file)}" is sound`);
    else for (const problem of problems) terminal.line(printable(problem));
    return problems.length === 0 ? EXIT.ok : EXIT.problems;
  });
}
