import { InvalidArgumentError, Option, type Command } from 'commander';
import { EXPORT_FORMATS } from '../../records/export/export-formats.ts';
import type { Session } from '../session.ts';
import type { RecordExportFlags } from './export-command.ts';
import type { FixtureFlags } from './to-fixture-command.ts';
import type { RecordListFlags } from './list-command.ts';
import type { RecordPruneFlags } from './prune-command.ts';
import type { RecordShowFlags } from './show-command.ts';
import { parseTime } from './time-argument.ts';

type Run = (command: (session: Session) => Promise<number>) => Promise<void>;

/** The commands that look at what is kept of decisions. */
export function addRecordCommands(program: Command, run: Run): void {
  const records = program.command('records').description('look at what hooks did');
  withFilter(records.command('list'))
    .description('list decisions and failures, newest first')
    .option('--limit <number>', 'how many, at most 1000', parsePositive, 50)
    .option('--before <next>', 'go on where a list ended')
    .action((flags: RecordListFlags & Versioned) =>
      run(async (session) =>
        (await import('./list-command.ts')).runRecordList(session, filterIn(flags)),
      ),
    );
  records
    .command('show')
    .description('show one, and what other hooks did in the same fire')
    .argument('<id>')
    .option('--payload', 'with what the hook was given, where that was kept')
    .action((id: string, flags: RecordShowFlags) =>
      run(async (session) => (await import('./show-command.ts')).runRecordShow(session, id, flags)),
    );
  withFilter(records.command('export'))
    .description('write them to a file or to standard output, oldest first')
    .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).default('jsonl'))
    .option('--out <file>', 'a file in place of standard output')
    .option('--with-payloads', 'with what hooks were given, where that was kept')
    .action((flags: RecordExportFlags & Versioned) =>
      run(async (session) =>
        (await import('./export-command.ts')).runRecordExport(session, filterIn(flags)),
      ),
    );
  records
    .command('to-fixture')
    .description('make a fixture for the tests of a hook from what it once decided')
    .argument('<id>')
    .option('--out <file>', 'a file in place of standard output')
    .option('--shape', 'with samples in place of what was kept of the data')
    .action((id: string, flags: FixtureFlags) =>
      run(async (session) =>
        (await import('./to-fixture-command.ts')).runToFixture(session, id, flags),
      ),
    );
  records
    .command('acts')
    .description('list what operators changed while hooks ran, newest first, and who did')
    .option('--limit <number>', 'how many, at most 500', parsePositive, 50)
    .action((flags: { readonly limit: number }) =>
      run(async (session) => (await import('./acts-command.ts')).runActList(session, flags)),
    );
  records
    .command('prune')
    .description('delete old ones: those named, or what runtime.json does not keep')
    .option('--before <time>', 'older than this', (text) => parseTime(text))
    .option('--max-rows <number>', 'the oldest beyond so many', parsePositive)
    .action((flags: RecordPruneFlags) =>
      run(async (session) => (await import('./prune-command.ts')).runRecordPrune(session, flags)),
    );
  records
    .command('check')
    .description('read the whole file of the records; 1 where it is damaged')
    .action(() =>
      run(async (session) => (await import('./check-command.ts')).runRecordCheck(session)),
    );
}

/** `--version` is that of the program. */
interface Versioned {
  readonly packageVersion?: string;
}

function filterIn<T extends Versioned>({ packageVersion, ...flags }: T) {
  return { ...flags, version: packageVersion };
}

function withFilter(command: Command): Command {
  return command
    .option('--since <time>', 'a time in ISO 8601, or a span before now: 15m, 24h, 7d', (text) =>
      parseTime(text),
    )
    .option('--until <time>', 'before this', (text) => parseTime(text))
    .option('--hook <name>')
    .option('--package <name>')
    .option('--package-version <version>')
    .option('--point <point>')
    .option('--action <action>')
    .option('--code <code>', 'of a failure, or why the runtime itself blocked')
    .option('--session <id>')
    .option('--turn <id>')
    .option('--tool-call <id>')
    .option('--fire <id>', 'the id of a verdict')
    .addOption(new Option('--role <role>', 'in a process that died').choices(ROLES))
    .option('--would-block', 'what a hook in shadow mode would have blocked');
}

const ROLES = ['culprit', 'bystander'] as const;

function parsePositive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1.');
}
