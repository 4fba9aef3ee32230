import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../house/imports.ts';

const DATA = join(ROOT, '../shared/data/airline');
const PACKAGES = join(ROOT, 'examples/packages');

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

interface Answer {
  readonly action: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

interface Hook {
  readonly points: readonly string[];
  run(point: string, payload: object, ctx: object): Answer | Promise<Answer>;
}

const CTX = {
  log: () => undefined,
  session: { id: 's' },
  caller: { source: 'chat' },
  agent: { id: 'main' },
  store: { get: async () => null, put: async () => undefined },
};

function read<T>(file: string): T[] {
  const text = readFileSync(join(DATA, file), 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as T);
}

/** The hook of a package as it comes, called as its sandbox calls it. */
async function load(name: string): Promise<Hook> {
  const folder = join(PACKAGES, name, 'hooks', name);
  const { points, config = {} } = JSON.parse(readFileSync(join(folder, 'hook.json'), 'utf8')) as {
    points: string[];
    config?: object;
  };
  const { createHook } = (await import(pathToFileURL(join(folder, 'index.ts')).href)) as {
    createHook: (config: object) => Pick<Hook, 'run'>;
  };
  const hook = createHook(config);
  return { points, run: (point, payload, ctx) => hook.run(point, payload, ctx) };
}

/** Every call of a point in the conversations. */
function* callsIn(messages: readonly Message[]): Generator<readonly [point: string, object]> {
  const calls = new Map<string, { readonly toolName: string; readonly args: unknown }>();
  for (const { role, content, tool_calls: made = [], tool_call_id: id = '' } of messages) {
    if (role === 'user') yield ['preInput', { text: content, source: 'chat' }];
    if (role === 'tool') {
      yield ['postToolUse', { ...calls.get(id), result: content, isError: false }];
    }
    if (role !== 'assistant') continue;
    if (content) yield ['preOutput', { text: content, channels: ['chat'] }];
    for (const call of made) {
      const args: unknown = JSON.parse(call.function.arguments);
      calls.set(call.id, { toolName: call.function.name, args });
      yield ['preToolUse', { toolName: call.function.name, args }];
    }
  }
}

describe.skipIf(!existsSync(DATA))('on real conversations (needs ../shared)', () => {
  const conversations = () =>
    read<{ readonly messages: readonly Message[] }>('conversations.jsonl');

  test.each([
    ['secret-guard', { preToolUse: 577, postToolUse: 577, preOutput: 615 }],
    ['prompt-injection-tripwire', { postToolUse: 577 }],
    ['path-guard', { preToolUse: 577 }],
    ['shell-guard', { preToolUse: 577 }],
    ['spend-guard', { preToolUse: 577 }],
    ['spend-limit', { preToolUse: 577, postToolUse: 577 }],
    ['faq-cache', { preInput: 686 }],
  ])('%s raises no false alarm', async (name, expected) => {
    const hook = await load(name);
    const seen: Record<string, number> = {};
    for (const { messages } of conversations()) {
      for (const [point, payload] of callsIn(messages)) {
        if (!hook.points.includes(point)) continue;
        seen[point] = (seen[point] ?? 0) + 1;
        expect((await hook.run(point, payload, CTX)).action).toBe('allow');
      }
    }
    expect(seen).toEqual(expected);
  });

  test('pii-redactor finds no telephone, card, account or personal number where none is', async () => {
    const hook = await load('pii-redactor');
    let texts = 0;
    for (const { messages } of conversations()) {
      for (const [point, payload] of callsIn(messages)) {
        texts += 1;
        const { note = '' } = await hook.run(point, payload, CTX);
        expect(note).not.toMatch(/phone|card|iban|\bid\b/);
      }
    }
    expect(texts).toBe(686 + 577 + 577 + 615);
  });

  test('pii-redactor has precision and recall of 1 on what people marked', async () => {
    const hook = await load('pii-redactor');
    const rows = read<{
      readonly text: string;
      readonly pii: readonly { readonly type: 'email' | 'dob'; readonly text: string }[];
    }>('pii.jsonl');
    expect(rows).toHaveLength(30);
    for (const { text, pii } of rows) {
      const { payload } = await hook.run('preInput', { text, source: 'chat' }, CTX);
      const marked = pii.reduce(
        (left, { type, text: piece }) => left.replaceAll(piece, `[${type.toUpperCase()}]`),
        text,
      );
      expect(payload?.['text'] ?? text).toBe(marked);
    }
  });
});

test('the README of every example package says what was measured', () => {
  for (const name of ['pii-redactor', 'secret-guard', 'shell-guard', 'path-guard', 'spend-limit']) {
    expect(readFileSync(join(PACKAGES, name, 'README.md'), 'utf8')).toMatch(/## Measured\n\n\S/);
  }
});
