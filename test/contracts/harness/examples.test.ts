import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentTool, ToolReply } from '../../../src/loop/index.ts';
import { ROOT } from '../../house/imports.ts';
import { play } from '../../loop/stages.ts';
import { hookJson, openFolder, type Folder } from '../folder.ts';

const POINTS = ['preTurn', 'preModelCall', 'preToolUse', 'postToolUse', 'postTurn'];
const PROMPT = 'Book me the most comfortable seat to Mar del Plata on Friday.';
const REFUSED =
  /^Blocked by policy: first class needs a manager.s approval\. Book tourist instead\.$/;

/** The text with the examples, where it is at hand. */
const SEED = join(ROOT, '../shared/reference/seeds/harness-patterns.txt');
const seed = existsSync(SEED) ? readFileSync(SEED, 'utf8') : undefined;

/** The code blocks of the text, character for character: with astorlm, and from scratch. */
function examples(): readonly string[] {
  return [...(seed ?? '').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
}

/** A small stand-in for the agent: it keeps the hooks it is given and has nothing to say. */
const ASTORLM = `
export const captured = {};
export const tool = (definition) => definition;
export class OpenAIProvider { constructor(options) { this.options = options; } }
export async function createLocalAgent(options) {
  captured.options = options;
  return { on() {}, run: async () => ({ content: '' }) };
}
`;

/** Runs the whole loop from scratch while the module loads, against a model of three answers, and keeps what it read. */
const FROM_SCRATCH = (hooks: string): string => `
import { writeFileSync } from 'node:fs';
const call = (id, name, args) => ({ id, function: { name, arguments: JSON.stringify(args) } });
const replies = [
  { tool_calls: [call('1', 'find_trains', { to: 'Mar del Plata', date: 'Friday' })] },
  { tool_calls: [call('2', 'book_ticket', { train: 7, seat_class: 'first' })] },
  { tool_calls: [call('3', 'book_ticket', { train: 7, seat_class: 'tourist' })] },
  { content: 'Booked.' },
];
const seen = [];
globalThis.findTrains = async () => 'train 7';
globalThis.bookTicket = async () => 'Booked for DNI 12.345.678';
globalThis.fetch = async (url, { body }) => {
  seen.push(...JSON.parse(body).messages.slice(-1));
  const message = { role: 'assistant', content: null, ...replies.shift() };
  return { json: async () => ({ choices: [{ message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }] }) };
};
await import('./agent.ts');
writeFileSync(new URL('seen.json', import.meta.url), JSON.stringify(seen));
export default {${hooks}};
`;

/** The Python example as the same module in JavaScript with the same names. */
const PYTHON = `
function check_policy(name, args) {
  if (name === 'book_ticket' && args.seat_class === 'first') {
    return { authorize: false, result: "Blocked by policy: first class needs a manager's approval. Book tourist instead." };
  }
  return { authorize: true };
}

function hide_ids(name, output) {
  return output.replace(/DNI [\\d.]+/g, 'DNI ***');
}

export const hooks = { before_tool_execution: check_policy, after_tool_execution: hide_ids };
`;

const OWN = `export default {
  beforeToolExecution: async ({ toolName, input }) => (toolName === 'book_ticket' && input.seat_class === 'first'
    ? { authorize: false, mockResult: 'Blocked by policy: first class needs a manager’s approval. Book tourist instead.' }
    : { authorize: true }),
  afterToolExecution: async ({ output }) => output.replace(/DNI [\\d.]+/g, 'DNI ***'),
};
`;

const TOOL_POLICY = `import { mergeSessionHooks, parseAllowedTools, restrictToolsHook } from '@signalbox/sdk';
export default ({ allowed, ...options }) => mergeSessionHooks(undefined, {
  beforeToolExecution: restrictToolsHook(parseAllowedTools(allowed) ?? [], {
    ...options, ...(options.denyMessage && { denyMessage: (name) => options.denyMessage + ': ' + name }) }),
});
`;

/** The hooks of the loop from scratch, cut out of its last call. */
function scratchHooks(code: string): string {
  return code.slice(code.indexOf(PROMPT) + PROMPT.length + 4, code.lastIndexOf('})'));
}

let folder: Folder;
beforeAll(async () => {
  const [astorlm, scratch] = examples();
  const local = (name: string, more: object = {}) => ({
    [`hooks/${name}/hook.json`]: hookJson(name, {
      contract: 'harness',
      points: POINTS,
      capabilities: [
        'reads_tool_io',
        'gates_tools',
        'reads_context',
        'gates_context',
        'reads_output',
      ],
      when: { sessions: [name] },
      ...more,
    }),
  });
  folder = await openFolder({
    imports: ['@signalbox/sdk', 'zod'],
    files: {
      ...local('own'),
      'hooks/own/index.mjs': OWN,
      ...local('python'),
      'hooks/python/index.mjs': PYTHON,
      ...local('policy', { config: { allowed: 'read, bash , grep', alwaysAllow: ['ask'] } }),
      'hooks/policy/index.mjs': TOOL_POLICY,
      ...local('policy-nope', { config: { allowed: '', denyMessage: 'nope' } }),
      'hooks/policy-nope/index.mjs': TOOL_POLICY,
      ...(astorlm !== undefined &&
        scratch !== undefined && {
          ...local('astorlm'),
          'hooks/astorlm/index.mjs': `import './agent.ts';\nimport { captured } from 'astorlm';\nexport default captured.options.hooks;\n`,
          'hooks/astorlm/agent.ts': astorlm,
          'hooks/astorlm/node_modules/astorlm/package.json':
            '{"name":"astorlm","type":"module","exports":"./index.js"}',
          'hooks/astorlm/node_modules/astorlm/index.js': ASTORLM,
          ...local('scratch'),
          'hooks/scratch/index.mjs': FROM_SCRATCH(scratchHooks(scratch)),
          'hooks/scratch/agent.ts': scratch,
        }),
    },
  });
}, 120_000);
afterAll(() => folder.remove());

/** Lets the agent of the demo book, first class first. */
async function book(scene: string): Promise<{ outputs: unknown[]; booked: unknown[] }> {
  const booked: unknown[] = [];
  const tools: AgentTool[] = [
    { name: 'find_trains', parameters: { type: 'object' }, run: () => 'train 7' },
    {
      name: 'book_ticket',
      parameters: { type: 'object' },
      run(args): ToolReply | string {
        booked.push(args);
        return 'Booked for DNI 12.345.678';
      },
    },
  ];
  const ticket = (id: string, seat_class: string) => ({
    calls: [{ id, name: 'book_ticket', args: { train: 7, seat_class } }],
  });
  const script = [
    { calls: [{ id: '1', name: 'find_trains', args: { to: 'Mar del Plata', date: 'Friday' } }] },
    ticket('2', 'first'),
    ticket('3', 'tourist'),
    { text: 'Booked.' },
  ];
  const { history, result } = await play(folder.runtime, script, {
    sessionId: scene,
    prompt: PROMPT,
    tools,
  });
  const messages = await history.load(result.sessionId);
  const outputs = messages.filter(({ role }) => role === 'tool');
  return { booked, outputs: outputs.map(({ content, isError }) => [content, isError]) };
}

const EXPECTED = {
  outputs: [
    ['train 7', false],
    [expect.stringMatching(REFUSED), true],
    ['Booked for DNI ***', false],
  ],
  booked: [{ train: 7, seat_class: 'tourist' }],
};

test.each(['own', 'python'])('[HP27] the rules of the demo hold: %s', async (scene) => {
  expect(await book(scene)).toEqual(EXPECTED);
});

test.skipIf(seed === undefined).each(['astorlm', 'scratch'])(
  '[HP27] the example "%s" runs character for character (needs ../shared)',
  async (scene) => {
    expect(
      folder.runtime.inventory().hooks.find(({ hook }) => hook === scene)?.failure,
    ).toBeUndefined();
    expect(await book(scene)).toEqual(EXPECTED);
  },
);

test.skipIf(seed === undefined)(
  'the loop from scratch runs whole in its sandbox (needs ../shared)',
  () => {
    const text = readFileSync(join(folder.path, 'hooks/scratch/seen.json'), 'utf8');
    const seen = JSON.parse(text) as { content: string }[];
    expect(seen.map(({ content }) => content)).toEqual([
      PROMPT,
      'train 7',
      expect.stringMatching(REFUSED),
      'Booked for DNI ***',
    ]);
  },
);

test('[HP26] restrictToolsHook lets listed tools run and says why others do not', async () => {
  const fire = (sessionId: string, toolName: string) =>
    folder.runtime.fire('preToolUse', { toolName, args: {} }, { sessionId });
  for (const name of ['read', 'bash', 'grep', 'ask']) {
    expect((await fire('policy', name)).action).toBe('allow');
  }
  const { action, reason } = await fire('policy', 'write');
  expect({ action, reason }).toEqual({
    action: 'block',
    reason: expect.stringContaining('not in the active skill') as string,
  });
  expect((await fire('policy-nope', 'write')).reason).toBe('nope: write');
});
