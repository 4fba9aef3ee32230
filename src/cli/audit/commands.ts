import { InvalidArgumentError, type Command } from 'commander';
import type { AuditFlags } from './audit-command.ts';
import type { VerifyFlags } from './lock-commands.ts';
import type { Session } from '../session.ts';

type Run = (command: (session: Session) => Promise<number>) => Promise<void>;

const UNUSED_DAYS = 30;

/** The commands that say what code of others may do, did, and who allowed it. */
export function addAuditCommands(program: Command, run: Run): void {
  const command = program
    .command('audit')
    .description('show what hooks declare, are granted and used, and what drifted from the lock')
    .option('--csv', 'print the matrix as CSV')
    .option('--unused-days <number>', 'tell grants not used for so long', readDays, UNUSED_DAYS)
    .option('--online', 'ask registries for newer versions')
    .option('--suggest', 'print a JSON Patch of runtime.json with the grants that were used')
    .action((flags: AuditFlags) =>
      run(async (session) => (await import('./audit-command.ts')).runAudit(session, flags)),
    );
  const load = () => import('./lock-commands.ts');
  command
    .command('diff')
    .description('show what one runtime.lock.json changes of another')
    .argument('<before>')
    .argument('<after>')
    .action((before: string, after: string) =>
      run(async (session) => (await load()).runAuditDiff(session, before, after)),
    );
  command
    .command('verify')
    .description('check that nothing was cut out of the history of the lock, or changed in it')
    .option('--since <hash>', 'a newest hash of an earlier time, which must still be there')
    .action((flags: VerifyFlags) =>
      run(async (session) => (await load()).runAuditVerify(session, flags)),
    );
}

function readDays(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text)) return days;
  throw new InvalidArgumentError('It must be a number of days.');
}
