import { join } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import { llmEndpoint } from '../bridges/llm.ts';
import { printable } from '../config/printable.ts';
import {
  openAiModel,
  openHistory,
  runAgent,
  toolsOfMcpServer,
  toolsOfModule,
  type ClientEvent,
  type Model,
  type OpenTools,
  type RunResult,
} from '../loop/index.ts';
import { createAsker } from './asker.ts';
import { EXIT } from './exit-code.ts';
import { withRuntime, type Session } from './session.ts';
import type { Terminal } from './terminal.ts';

/** Options of `signalbox run`. */
export interface RunFlags {
  /** Modules that export tools. */
  readonly tools: readonly string[];
  /** MCP servers: URLs, or commands with their arguments. */
  readonly mcp: readonly string[];
  readonly session?: string;
  /** A session that is taken up where it was when its process ended. */
  readonly resume?: string;
  readonly system?: string;
  readonly user?: string;
  readonly maxTurns?: number;
  readonly stream: boolean;
  readonly jobDone?: boolean;
}

/** Runs an agent on a prompt, shows its answer as it comes and asks on the terminal what hooks ask. */
export async function runAgentCommand(
  session: Session,
  prompt: string | undefined,
  flags: RunFlags,
): Promise<number> {
  const { terminal, signal } = session;
  if ((prompt === undefined) === (flags.resume === undefined)) {
    throw new SignalboxError('usage', { detail: 'It takes a prompt, or "--resume <id>"' });
  }
  const model = modelOf(process.env);
  return withRuntime(session, { level: 'error' }, async (runtime) => {
    const opened: { close(): Promise<void> }[] = [];
    const open = async <T extends { close(): Promise<void> }>(one: Promise<T>): Promise<T> => {
      const there = await one;
      opened.push(there);
      return there;
    };
    try {
      const sources: OpenTools[] = [];
      for (const file of flags.tools) sources.push(await open(toolsOfModule(file)));
      for (const text of flags.mcp) sources.push(await open(toolsOfMcpServer(serverOf(text))));
      const file = join(runtime.config.folder, '.signalbox', 'history.db');
      const history = await open(openHistory(file));
      const client = createClient(terminal);
      const result = await runAgent({
        runtime,
        model,
        history,
        prompt,
        signal,
        tools: sources.flatMap(({ tools }) => tools),
        sessionId: flags.resume ?? flags.session,
        systemPrompt: flags.system,
        caller: { source: 'chat', ...(flags.user !== undefined && { userId: flags.user }) },
        stream: flags.stream,
        jobDone: flags.jobDone,
        maxTurns: flags.maxTurns,
        onEvent: client.onEvent,
        approve: createAsker(terminal),
      });
      client.end(result);
      return exitCodeOfRun(result);
    } finally {
      for (const one of opened.toReversed()) await one.close();
    }
  });
}

function modelOf(env: Readonly<Record<string, string | undefined>>): Model {
  const endpoint = llmEndpoint(env);
  if (endpoint === undefined) {
    const detail =
      'No model: set SIGNALBOX_LLM_URL and SIGNALBOX_LLM_MODEL (and SIGNALBOX_LLM_KEY)';
    throw new SignalboxError('usage', { detail });
  }
  const { url, model, key: apiKey } = endpoint;
  return openAiModel({ baseUrl: url.href, model, apiKey });
}

function serverOf(text: string) {
  if (/^https?:\/\//.test(text)) return { url: text };
  const [command = '', ...args] = text.split(' ').filter((part) => part !== '');
  return { command, args };
}

/** Shows what an agent says and does. */
function createClient(terminal: Terminal) {
  let shown = '';
  const onEvent = (event: ClientEvent): void => {
    if (terminal.isJson) return terminal.json(event);
    switch (event.type) {
      case 'token':
        if (event.kind === 'thinking') return;
        // What is on a terminal cannot be taken back, so that a replacement starts afresh.
        shown = event.replace ? event.text : shown + event.text;
        return terminal.progress(lastLine(shown));
      case 'notice':
        return terminal.note(`${event.level}: ${printable(event.text, 2000)} (${event.source})`);
      case 'toolCallStarted':
        return terminal.note(`calls ${printable(event.name, 100)}`);
      case 'toolCallDone':
        if (event.status === 'error') terminal.note(`${printable(event.name, 100)} gave an error`);
        return;
      case 'retry':
        return terminal.note(`attempt ${event.attempt} in ${event.delayMs} ms`);
      case 'approval':
        return terminal.note(`waits for approval ${event.approval.id}`);
      case 'subAgent':
        return terminal.note(`agent ${event.name} ${event.isOver ? 'ended' : 'started'}`);
      case 'input':
        return terminal.note('a hook changed the input');
    }
  };
  return {
    onEvent,
    end(result: RunResult): void {
      terminal.progress();
      const { error, ...facts } = result;
      if (terminal.isJson) terminal.json({ type: 'result', ...facts });
      else if (result.outcome === 'blocked') terminal.note(printable(result.text, 4000));
      else for (const line of result.text.split('\n')) terminal.line(printable(line, 100_000));
      if (error !== undefined) terminal.error(error);
      if (!terminal.isJson) terminal.note(`session ${result.sessionId}`);
    },
  };
}

const LINE_CHARS = 100;

function lastLine(text: string): string {
  return printable(text.slice(-LINE_CHARS).replaceAll('\n', ' '), LINE_CHARS);
}

function exitCodeOfRun({ status, outcome }: RunResult): number {
  if (status === 'cancelled') return EXIT.interrupted;
  return status === 'completed' && outcome !== 'blocked' ? EXIT.ok : EXIT.problems;
}
