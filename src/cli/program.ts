import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

import { SignalboxError } from '../../sdk/errors.ts';
import type { AnswerFlags, ApprovalListFlags } from './approvals-command.ts';
import { addAuditCommands } from './audit/commands.ts';
import { addAuthorCommands } from './author/author-commands.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { addGrantCommands } from './grants/commands.ts';
import type { HookFlags } from './hook/hook-command.ts';
import { HOOK_VERBS } from './hook/hook-events.ts';
import { interruptible } from './interruption.ts';
import { addOperateCommands } from './operate/commands.ts';
import { addPackageCommands } from './packages/package-commands.ts';
import { addRecordCommands } from './records/commands.ts';
import { addReplayCommands } from './replay/commands.ts';
import type { RunFlags } from './run-command.ts';
import type { Session } from './session.ts';
import type { StartFlags } from './start-command.ts';
import { openTerminal } from './terminal.ts';
import type { TestFlags } from './test-command.ts';
import type { TokenFlags } from './token-command.ts';
import { readVersion } from '../version.ts';

const EXIT_HELP = `
Exit codes:
  0    done, and nothing was wrong
  1    a hook failed or gave an invalid answer, a fixture or --expect differed, or
       something that was read could not be understood
  2    the command line or the configuration is wrong
  130  ended by a signal before it was done

Results go to standard output, everything about them to standard error.
NO_COLOR turns colours off; SIGNALBOX_TOKEN is the token of the server.`;

/** Runs a command line and returns its exit code. Prints what is wrong; never rejects. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  // Errors of the command line itself come before its flags are known.
  const terminal = openTerminal({ isJson: args.includes('--json') });
  let code: number = EXIT.ok;
  const program = buildProgram(async (config, run) => {
    code = await interruptible((signal) => run({ terminal, config, signal }));
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    const shown = error instanceof CommanderError ? usageError(error) : error;
    if (shown === undefined) return EXIT.ok;
    terminal.progress();
    terminal.error(shown);
    return exitCodeOf(shown);
  }
}

/** Runs a command in a session; the command's own modules are only loaded then. */
type Runner = (config: string, run: (session: Session) => Promise<number>) => Promise<void>;

function buildProgram(runIn: Runner): Command {
  const program = new Command('signalbox')
    .description('Runs guardrail hooks of others for AI agents, in sandboxes')
    .version(readVersion())
    .option('--config <file>', 'the runtime.json to use', './runtime.json')
    .option('--json', 'print results as JSON, for machines')
    .addHelpText('after', EXIT_HELP)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: () => undefined, writeErr: () => undefined });
  const run = (session: (session: Session) => Promise<number>): Promise<void> =>
    runIn(program.opts<{ config: string }>().config, session);
  addStart(program, run);
  addHooks(program, run);
  addReplayCommands(program, run);
  addHook(program, run);
  addStore(program, run);
  addAuthorCommands(program, run);
  addApprovals(program, run);
  addRun(program, run);
  addAuditCommands(program, run);
  addGrantCommands(program, run);
  addToken(program, run);
  addOperateCommands(program, run);
  addPackageCommands(program, run);
  addRecordCommands(program, run);
  return program;
}

type Run = (command: (session: Session) => Promise<number>) => Promise<void>;

function addStart(program: Command, run: Run): void {
  program
    .command('start')
    .description('show the hooks, replay the recordings beside runtime.json, then serve HTTP')
    .option('--port <number>', 'port to listen on, 0 for a free one', parsePort)
    .option('--host <address>', 'address to listen on')
    .option('--replay <file>', 'replay this recording instead')
    .option('--no-replay', 'replay nothing')
    .option('--no-serve', 'end after the replay')
    .action((flags: StartFlags) =>
      run(async (session) => (await import('./start-command.ts')).runStart(session, flags)),
    );
}

function addHooks(program: Command, run: Run): void {
  program
    .command('hooks')
    .description('list the hooks that are live, and those that are not and why')
    .action(() => run(async (session) => (await import('./hooks-command.ts')).runHooks(session)));
  program
    .command('doctor')
    .description('say how well this machine holds hooks of others, and try it; 1 where it is weak')
    .action(() => run(async (session) => (await import('./doctor-command.ts')).runDoctor(session)));
  program
    .command('test')
    .description('run one hook or the chain of a point, or without a point the fixtures of hooks')
    .argument('[point]', 'a point, such as preToolUse')
    .option('--hook <name>', 'this hook alone')
    .option('--payload <file>', 'the payload as JSON, "-" for standard input')
    .option('--expect <action>', 'exit with 1 when the answer is another')
    .option('--fault <name>', 'show what callers see when the hook fails: a fault, or "all"')
    .option('--conformance', 'run the hook on empty, huge, odd and hostile payloads')
    .action((point: string | undefined, flags: TestFlags) =>
      run(async (session) => (await import('./test-command.ts')).runTest(session, point, flags)),
    );
}

function addHook(program: Command, run: Run): void {
  program
    .command('hook')
    .description('run one hook of agent-os on an event, or show it with "info"')
    .argument('<file>', 'its hook.yaml')
    .argument('<verb>', `info, ${Object.keys(HOOK_VERBS).join(', ')}`)
    .argument('[words...]', 'what the verb takes')
    .option('--db <path>', 'a file in place of its db_path and of the store')
    .option('--live', 'let it ask the real model')
    .option('--agent <name>', 'name of the process')
    .option('--template <name>', 'name of the template')
    .option('--user <id>')
    .option('--session <id>')
    .action((...given: [file: string, verb: string, words: string[], flags: HookFlags]) =>
      run(async (session) => {
        const [file, verb, words, flags] = given;
        const { runHook } = await import('./hook/hook-command.ts');
        return runHook(session, { file, verb, words }, flags);
      }),
    );
}

function addRun(program: Command, run: Run): void {
  program
    .command('run')
    .description('run an agent on a prompt, under the hooks of runtime.json')
    .argument('[prompt]')
    .option(
      '--tools <file>',
      'a module that exports tools; may be given several times',
      collect,
      [],
    )
    .option('--mcp <server>', 'an MCP server: its URL, or its command', collect, [])
    .option('--session <id>', 'go on with this session')
    .option('--resume <id>', 'go on with what this session left unanswered, without a prompt')
    .option('--system <text>', 'the system prompt')
    .option('--user <id>', 'who is behind the prompt')
    .option('--max-turns <number>', 'rounds with the model, at most', parseCount)
    .option('--job-done', 'let the model end the run by a tool')
    .option('--no-stream', 'ask the model for whole answers')
    .action((prompt: string | undefined, flags: RunFlags) =>
      run(async (session) =>
        (await import('./run-command.ts')).runAgentCommand(session, prompt, flags),
      ),
    );
}

function addApprovals(program: Command, run: Run): void {
  const approvals = program.command('approvals').description('answer what hooks ask');
  const load = () => import('./approvals-command.ts');
  approvals
    .command('list')
    .description('list what waits for an answer')
    .option('--all', 'what is settled too')
    .action((flags: ApprovalListFlags) =>
      run(async (session) => (await load()).runApprovalList(session, flags)),
    );
  approvals
    .command('show')
    .description('show exactly what would run, and what hooks changed in it')
    .argument('<id>')
    .action((id: string) => run(async (session) => (await load()).runApprovalShow(session, id)));
  approvals
    .command('approve')
    .description('let it run, once')
    .argument('<id>')
    .option('--note <text>', 'a note to the model')
    .option('--always', 'let the same question pass for the rest of the session')
    .action((id: string, flags: AnswerFlags) =>
      run(async (session) => (await load()).runApprove(session, id, flags)),
    );
  approvals
    .command('deny')
    .description('do not let it run')
    .argument('<id>')
    .option('--note <text>', 'a note to the model')
    .action((id: string, flags: AnswerFlags) =>
      run(async (session) => (await load()).runDeny(session, id, flags)),
    );
}

function addToken(program: Command, run: Run): void {
  program
    .command('token')
    .description('make tokens of the server')
    .command('create')
    .description('print a new token, once, and the line for server.tokens in runtime.json')
    .addOption(
      new Option('--role <role>', 'what it may do')
        .choices(['agent', 'operator', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'who has it; stands in records')
    .action((flags: TokenFlags) =>
      run(async (session) => (await import('./token-command.ts')).runTokenCreate(session, flags)),
    );
}

function addStore(program: Command, run: Run): void {
  const store = program.command('store').description('load and look at the rows that hooks read');
  const load = () => import('./store-command.ts');
  store
    .command('load')
    .description('load lines of {"key", "value"} into a collection, all or none')
    .argument('<collection>')
    .argument('<file>')
    .action((collection: string, file: string) =>
      run(async (session) => (await load()).runStoreLoad(session, collection, file)),
    );
  store
    .command('list')
    .description('list the collections')
    .action(() => run(async (session) => (await load()).runStoreList(session)));
  store
    .command('get')
    .description('print a row')
    .argument('<collection>')
    .argument('<key>')
    .action((collection: string, key: string) =>
      run(async (session) => (await load()).runStoreGet(session, collection, key)),
    );
  store
    .command('query')
    .description('print the rows whose fields equal the given ones')
    .argument('<collection>')
    .option('--where <field=value>', 'may be given several times', collect, [])
    .action((collection: string, { where }: { where: string[] }) =>
      run(async (session) => (await load()).runStoreQuery(session, collection, where)),
    );
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1.');
}

/** What is wrong with a command line; nothing where help or the version was asked for. */
function usageError(error: CommanderError): SignalboxError | undefined {
  if (error.exitCode === 0) return undefined;
  const isBare = error.code === 'commander.help';
  const detail = isBare ? 'No command was given' : error.message.replace(/^error: /, '');
  return new SignalboxError('usage', { detail: detail.replaceAll('\n', ' ') });
}
