import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRuntime, type LiveRuntime } from '../../src/index.ts';
import {
  openAgentSession,
  openAiModel,
  openHistory,
  type AgentTool,
  type HistoryStore,
} from '../../src/loop/index.ts';
import { readRecording } from '../../src/replay/recording.ts';
import { replay } from '../../src/replay/replay.ts';
import { ROOT } from '../house/imports.ts';
import { openScriptedModel, type Reply } from '../loop/scripted-model.ts';

const DATA = join(ROOT, '../shared/data/airline');

interface Recorded {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

interface Conversation {
  readonly id: string;
  readonly messages: readonly Recorded[];
}

/** What was decided on the calls of a conversation, in order. */
type Decided = readonly {
  readonly tool: string;
  readonly action: string;
  readonly reason: string | null;
}[];

describe.skipIf(!existsSync(DATA))(
  'recorded conversations in the loop (needs ../shared/data/airline)',
  () => {
    let folder: string;
    let runtime: LiveRuntime;
    let history: HistoryStore;
    let conversations: readonly Conversation[];
    const replayed = new Map<string, Decided>();

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'signalbox-airline-loop-'));
      history = await openHistory(join(folder, 'history.db'));
      runtime = await openRuntime({
        folder,
        config: {
          limits: { queueMs: 30_000, loadMs: 30_000 },
          hooks: { overrides: { 'airline-policy': { timeoutMs: 30_000 } } },
          packages: [
            {
              package: join(ROOT, 'examples/packages/airline-policy'),
              grants: ['store:read', 'reads_tool_io', 'gates_tools'],
            },
          ],
        },
        log: { level: 'silent' },
      });
      for (const name of ['users', 'reservations', 'flights']) {
        await runtime.store.load(name, join(DATA, `db/${name}.jsonl`));
      }
      const file = join(DATA, 'conversations.jsonl');
      conversations = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Conversation);
      await replay(runtime, readRecording(file), {
        onDecision({ conversation, point, tool, action, reason }) {
          if (point !== 'preToolUse') return;
          const row = { tool: tool ?? '', action, reason };
          replayed.set(conversation, [...(replayed.get(conversation) ?? []), row]);
        },
      });
    }, 240_000);

    afterAll(async () => {
      await runtime?.close();
      await history?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test.each([true, false])(
      'the loop makes the same decisions as the replay (stream: %s)',
      async (stream) => {
        // Each way has its half: all of them twice would hold up whoever runs the tests.
        const waiting = conversations.filter((_, index) => (index % 2 === 0) === stream);
        const worker = async (): Promise<void> => {
          for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
            expect(await perform(next, stream)).toEqual(replayed.get(next.id) ?? []);
          }
        };
        await Promise.all([worker(), worker(), worker(), worker()]);
      },
      300_000,
    );

    /** Plays what a person wrote, with a model that plays the recorded answers and tools that give the recorded results. */
    async function perform({ id, messages }: Conversation, stream: boolean): Promise<Decided> {
      const decided: Decided[number][] = [];
      const replies = messages.filter(({ role }) => role === 'assistant').map(replyOf);
      const server = await openScriptedModel(() => replies.shift() ?? { text: 'The end' });
      const session = await openAgentSession({
        runtime: {
          ...runtime,
          async fire(point, payload, context) {
            const verdict = await runtime.fire(point, payload, context);
            if (point === 'preToolUse') {
              const { toolName: tool } = verdict.payload as unknown as { toolName: string };
              const { action, reason = null } = verdict;
              decided.push({ tool, action, reason });
            }
            return verdict;
          },
        },
        model: openAiModel({ baseUrl: server.baseUrl, model: 'recorded' }),
        history,
        sessionId: `${id}-${stream}`,
        stream,
        systemPrompt: messages.find(({ role }) => role === 'system')?.content ?? '',
        tools: toolsOf(messages),
        maxTurns: 200,
      });
      try {
        for (const { role, content } of messages) {
          if (role !== 'user') continue;
          const { status, error } = await session.send(content ?? '');
          expect({ id, status, error }).toEqual({ id, status: 'completed', error: undefined });
        }
        return decided;
      } finally {
        await session.end();
        await server.close();
      }
    }
  },
);

function replyOf({ content, tool_calls: calls = [] }: Recorded): Reply {
  return {
    ...(content !== null && content !== '' && { text: content }),
    calls: calls.map(({ id, function: { name, arguments: args } }) => ({ id, name, args })),
  };
}

function toolsOf(messages: readonly Recorded[]): readonly AgentTool[] {
  const results = new Map(
    messages.flatMap(({ tool_call_id: id, content }) => (id === undefined ? [] : [[id, content]])),
  );
  const names = new Set(
    messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.name)),
  );
  return [...names].map((name) => ({
    name,
    parameters: { type: 'object' },
    run: (_, { toolCallId }) => results.get(toolCallId) ?? '',
  }));
}
