import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRuntime, type LiveRuntime } from '../../src/index.ts';
import type { ReplayRow } from '../../src/replay/conversation-run.ts';
import { readRecording } from '../../src/replay/recording.ts';
import { replay } from '../../src/replay/replay.ts';
import { ROOT } from '../house/imports.ts';
import { rulesOf, type SmallAirline } from './small-airline.ts';

const DATA = join(ROOT, '../shared/data/airline');
const COLLECTIONS = ['users', 'reservations', 'flights'] as const;

interface Label {
  readonly conversation: string;
  readonly call: number;
  readonly tool: string;
  readonly verdict: 'allow' | 'block';
  readonly rules: readonly string[];
}

interface Message {
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

function readLines<Row>(file: string): Row[] {
  const text = readFileSync(join(DATA, file), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

describe.skipIf(!existsSync(DATA))('577 real tool calls (needs ../shared/data/airline)', () => {
  let labels: Label[];

  beforeAll(() => {
    labels = readLines<Label>('labels.jsonl');
  });

  test('the policy breaks the same rules as the labels, in every call', async () => {
    const [users, reservations, flights] = COLLECTIONS.map((name) =>
      Object.fromEntries(
        readLines<{ key: string; value: unknown }>(`db/${name}.jsonl`).map(({ key, value }) => [
          key,
          value,
        ]),
      ),
    );
    const airline = { users, reservations, flights } as SmallAirline;
    const judged: Label[] = [];
    for (const { id, messages } of readLines<{ id: string; messages: Message[] }>(
      'conversations.jsonl',
    )) {
      const calls = messages.flatMap((message) => message.tool_calls ?? []);
      for (const [call, { function: tool }] of calls.entries()) {
        const { rules } = await rulesOf(airline, tool.name, JSON.parse(tool.arguments));
        const verdict = rules.length === 0 ? 'allow' : 'block';
        judged.push({ conversation: id, call, tool: tool.name, verdict, rules });
      }
    }
    expect(judged).toEqual(
      labels.map(({ conversation, call, tool, verdict, rules }) => ({
        conversation,
        call,
        tool,
        verdict,
        rules,
      })),
    );
  });

  describe('replayed through a runtime', () => {
    let folder: string;
    let runtime: LiveRuntime;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'signalbox-airline-'));
      runtime = await openRuntime({
        folder,
        config: {
          packages: [
            {
              package: join(ROOT, 'test/fixtures/packages/airline-policy'),
              grants: ['store:read', 'reads_tool_io', 'gates_tools'],
            },
          ],
        },
        log: { destination: new PassThrough().resume() },
      });
      for (const name of COLLECTIONS)
        await runtime.store.load(name, join(DATA, `db/${name}.jsonl`));
    });

    afterAll(async () => {
      await runtime?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('every decision equals its label, and each names the rules', async () => {
      const rows: ReplayRow[] = [];
      const progress = await replay(runtime, readRecording(join(DATA, 'conversations.jsonl')), {
        onDecision: (row) => void rows.push(row),
      });
      expect(progress).toMatchObject({ conversations: 100, calls: 577, failures: 0, problems: 0 });
      const decided = rows
        .filter(({ point }) => point === 'preToolUse')
        .map(({ conversation, call, tool, action, hook, reason, code }) => ({
          conversation,
          call,
          tool,
          action,
          hook,
          reason,
          code,
        }));
      expect(decided).toEqual(
        labels.map(({ conversation, call, tool, verdict, rules }) => ({
          conversation,
          call,
          tool,
          action: verdict,
          hook: verdict === 'block' ? 'airline-policy' : null,
          reason: verdict === 'block' ? rules.join(', ') : null,
          code: null,
        })),
      );
    });

    test('the records hold one row for each block, with its rules', async () => {
      const { records } = await runtime.records.query({ action: 'block', limit: 1000 });
      const kept = records.map(({ hook, reason }) => `${hook}: ${reason}`).sort();
      const blocks = labels.filter(({ verdict }) => verdict === 'block');
      expect(kept).toEqual(blocks.map(({ rules }) => `airline-policy: ${rules.join(', ')}`).sort());
    });
  });
});
