import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentTool } from '../../../src/loop/index.ts';
import { play, type Stage as Played } from '../../loop/stages.ts';
import { openScenes, type Stage } from '../scenes.ts';

const ALL = ['preTurn', 'preModelCall', 'preToolUse', 'postToolUse', 'postTurn'];

/** Writes down what a local hook saw, as hooks of this contract have no way to say it. */
const LOG = `import { appendFileSync } from 'node:fs';
const log = (line) => appendFileSync(new URL('log.txt', import.meta.url), line + '\\n');\n`;

let stage: Stage;
beforeAll(async () => {
  const local = (module: string) => ({ module: LOG + module, points: ALL, local: true });
  stage = await openScenes('harness', {
    all: local(`export default {
      beforeTurn: ({ turn, messages }) => log(\`beforeTurn:\${turn}:\${messages.length}\`),
      beforeProviderCall: ({ messages, systemPrompt, tools }) => {
        log('beforeProviderCall:' + systemPrompt);
        return { messages, systemPrompt: systemPrompt + ' hooked', tools };
      },
      beforeToolExecution: ({ toolName, input }) => { log(\`beforeToolExecution:\${toolName}:\${input.n}\`); return { authorize: true }; },
      afterToolExecution: ({ toolName, output }) => { log(\`afterToolExecution:\${toolName}:\${output}\`); return output + ' + HookedOutput'; },
      afterTurn: ({ turn }) => log(\`afterTurn:\${turn}\`),
    };`),
    two: local(`export default { beforeToolExecution: ({ toolUseId }) =>
      toolUseId === 'tu_deny' ? { authorize: false } : { authorize: true, mockResult: 'mocked result' } };`),
    steer: local(`export default {
      beforeToolExecution: ({ input }) => (input.n === 2
        ? { authorize: true, steer: true, feedback: 'stop doubling' } : { authorize: true }) };`),
    'steer-once': local(`const queued = ['look first'];
      export default { beforeToolExecution: () => {
        const feedback = queued.shift();
        return feedback === undefined ? { authorize: true } : { authorize: true, steer: true, feedback };
      } };`),
    mutate: local(
      `export default { beforeToolExecution: async ({ input }) => { input.n = 21; return { authorize: true }; } };`,
    ),
    throws: local(
      `export default { beforeTurn: ({ turn }) => { if (turn === 2) throw new Error('over budget'); } };`,
    ),
    'throws-after': local(
      `export default { afterToolExecution: () => { throw new Error('no disk'); } };`,
    ),
    refuse:
      local(`export default { beforeToolExecution: () => ({ authorize: false, mockResult: 'Blocked by policy: ask for 1 instead.' }),
      afterToolExecution: ({ output, isError }) => { log(\`after:\${isError}:\${output}\`); return output; } };`),
    hide: local(`export default { beforeProviderCall: ({ messages, systemPrompt, tools }) =>
      ({ messages: [...messages, { role: 'user', content: 'only now' }], systemPrompt, tools: tools.slice(1) }) };`),
    sees: local(`export default { beforeProviderCall: ({ messages }) => { log('messages ' + messages.map(({ role, content }) => role + ':' + content).join('|')); },
      afterToolExecution: ({ output }) => { log('output ' + output); return output; } };`),
    slow: {
      ...local(`export default { beforeToolExecution: () => new Promise(() => undefined) };`),
      manifest: { timeoutMs: 50, failPolicy: 'closed' },
    },
    plain: local(`export default { beforeTurn() {} };`),
  });
}, 120_000);
afterAll(() => stage.remove());

async function logOf(scene: string): Promise<string[]> {
  const text = await readFile(join(stage.folder, 'hooks', scene, 'log.txt'), 'utf8');
  return text.trim().split('\n');
}

function double(calls: unknown[] = []): AgentTool {
  return {
    name: 'double',
    parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    run(args) {
      calls.push(args);
      return String(Number(args['n']) * 2);
    },
  };
}

const call = (n: number, id = 'tu_1', name = 'double') => ({ id, name, args: { n } });
const ANSWER = { text: 'done' };

/** What is kept of the tools in the history of a run, in order. */
async function results({ history, result }: Played) {
  const messages = await history.load(result.sessionId);
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ content, isError }) => ({ content, isError }));
}

test('[HP3] [HP4] [HP15] all five hooks of a run with one tool call, in order; what they change does not add up', async () => {
  const run = await play(stage.runtime, [{ calls: [call(10)] }, ANSWER], {
    sessionId: 'all',
    systemPrompt: 'sys',
    tools: [double()],
  });
  expect(await logOf('all')).toEqual([
    'beforeTurn:1:1',
    'beforeProviderCall:sys',
    'beforeToolExecution:double:10',
    'afterToolExecution:double:20',
    'afterTurn:1',
    'beforeTurn:2:3',
    'beforeProviderCall:sys',
    'afterTurn:2',
  ]);
  expect(await results(run)).toEqual([{ content: '20 + HookedOutput', isError: false }]);
  expect(run.requests.map(({ messages }) => messages[0]?.content)).toEqual([
    'sys hooked',
    'sys hooked',
  ]);
});

test('[HP8] [HP9] a refused and a canned call of one turn: the one is an error, the other is not, and neither runs', async () => {
  const calls: unknown[] = [];
  const run = await play(
    stage.runtime,
    [{ calls: [call(1, 'tu_deny'), call(2, 'tu_mock')] }, ANSWER],
    {
      sessionId: 'two',
      tools: [double(calls)],
    },
  );
  expect(await results(run)).toEqual([
    { content: 'Execution rejected by user policy.', isError: true },
    { content: 'mocked result', isError: false },
  ]);
  expect(calls).toEqual([]);
});

test('[HP10] steering cancels the calls beside it and tells the model why', async () => {
  const calls: unknown[] = [];
  const run = await play(stage.runtime, [{ calls: [call(1, 'a'), call(2, 'b')] }, ANSWER], {
    sessionId: 'steer',
    tools: [double(calls)],
  });
  expect(await results(run)).toEqual([
    { content: "Cancelled due to user steering on tool 'double'.", isError: true },
    { content: 'stop doubling', isError: true },
  ]);
  const { messages } = run.requests[1] ?? { messages: [] };
  expect(messages.at(-1)).toMatchObject({
    role: 'user',
    content: '[User Steering Feedback]: stop doubling',
  });
  expect(calls).toEqual([]);
});

test('queued feedback steers once, and with nothing queued the tool runs', async () => {
  const calls: unknown[] = [];
  const script = [{ calls: [call(3)] }, { calls: [call(4, 'tu_2')] }, ANSWER];
  const run = await play(stage.runtime, script, {
    sessionId: 'steer-once',
    tools: [double(calls)],
  });
  expect((await results(run))[0]).toEqual({ content: 'look first', isError: true });
  // Threads have queues of their own: one of the calls at the most is steered by each.
  expect(calls.length).toBeLessThanOrEqual(1);
});

test('[HP12] [HP13] what is told of a call when it is over has the text that the hook stamped', async () => {
  const run = await play(stage.runtime, [{ calls: [call(10)] }, ANSWER], {
    sessionId: 'all',
    tools: [double()],
  });
  const done = run.fires.find(({ point }) => point === 'toolCallDone');
  expect(run.points.indexOf('postToolUse')).toBeLessThan(run.points.indexOf('toolCallDone'));
  expect(done?.payload).toMatchObject({ result: '20 + HookedOutput', status: 'success' });
});

test('[HP12] [HP20] afterToolExecution sees a refused call, and the model reads why it was refused', async () => {
  const run = await play(stage.runtime, [{ calls: [call(9)] }, ANSWER], {
    sessionId: 'refuse',
    tools: [double()],
  });
  expect(await logOf('refuse')).toEqual(['after:true:Blocked by policy: ask for 1 instead.']);
  expect(run.requests[1]?.messages.at(-1)?.content).toBe('Blocked by policy: ask for 1 instead.');
});

test('[HP4] [HP6] what beforeProviderCall returns is sent, and the history keeps what it had', async () => {
  const run = await play(stage.runtime, [ANSWER], {
    sessionId: 'hide',
    tools: [double(), { ...double(), name: 'triple' }],
  });
  const [request] = run.requests;
  expect(request?.tools?.map((tool) => tool.function.name)).toEqual(['triple']);
  expect(request?.messages.at(-1)?.content).toBe('only now');
  expect((await run.history.load(run.result.sessionId)).map(({ content }) => content)).toEqual([
    'hello',
    'done',
  ]);
});

test('[HP16] what a hook throws takes the run down', async () => {
  const run = await play(stage.runtime, [{ calls: [call(1)] }, ANSWER], {
    sessionId: 'throws',
    tools: [double()],
  });
  expect(run.result).toMatchObject({ status: 'error', turns: 2 });
  expect(run.requests).toHaveLength(1);
});

test('[HP16] a throw after a tool ran takes the run down as well', async () => {
  const run = await play(stage.runtime, [{ calls: [call(1)] }, ANSWER], {
    sessionId: 'throws-after',
    tools: [double()],
  });
  expect(run.result.status).toBe('error');
});

test('[HP17] the tools of a turn run at the same time', async () => {
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const tool: AgentTool = {
    ...double(),
    async run() {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
      return 'met';
    },
  };
  const run = await play(stage.runtime, [{ calls: [call(1, 'a'), call(2, 'b')] }, ANSWER], {
    sessionId: 'plain',
    tools: [tool],
  });
  expect((await results(run)).map(({ content }) => content)).toEqual(['met', 'met']);
});

test('[HP18] a run ends after 25 turns, or as many as it is given, with what it has', async () => {
  const script = () => ({ text: 'still at it', calls: [call(1)] });
  const run = await play(stage.runtime, script, { sessionId: 'plain', tools: [double()] });
  expect(run.result).toMatchObject({ turns: 25, outcome: 'max_turns', text: 'still at it' });
  const short = await play(stage.runtime, script, {
    sessionId: 'plain',
    tools: [double()],
    maxTurns: 2,
  });
  expect(short.result.turns).toBe(2);
});

test('[HP21] a hook that is slow costs its cap and no more', async () => {
  const run = await play(stage.runtime, [{ calls: [call(1)] }, ANSWER], {
    sessionId: 'slow',
    tools: [double()],
  });
  expect((await results(run))[0]).toEqual({
    content: 'Hook "slow" failed (fail-closed)',
    isError: true,
  });
});

test('[HP22] the tool gets the arguments as the hook changed them where they lie', async () => {
  const calls: unknown[] = [];
  await play(stage.runtime, [{ calls: [call(1)] }, ANSWER], {
    sessionId: 'mutate',
    tools: [double(calls)],
  });
  expect(calls).toEqual([{ n: 21 }]);
});

test('[HP23] an unknown tool and bad arguments are told to the model, and the hook sees it', async () => {
  const script = [
    { calls: [call(1, 'a', 'nope'), { id: 'b', name: 'double', args: 'not JSON' }] },
    ANSWER,
  ];
  const run = await play(stage.runtime, script, { sessionId: 'sees', tools: [double()] });
  const [unknown, bad] = (await results(run)).map(({ content }) => content);
  expect(unknown).toBe('Unknown tool: nope');
  expect(bad).toMatch(/^Error: /);
  const outputs = (await logOf('sees')).filter((line) => line.startsWith('output'));
  expect(outputs).toEqual([`output ${unknown}`, `output ${bad}`]);
});

test('the messages that beforeProviderCall sees only grow', async () => {
  await play(stage.runtime, [{ calls: [call(1)] }, { calls: [call(2, 'tu_2')] }, ANSWER], {
    sessionId: 'sees',
    tools: [double()],
  });
  const seen = (await logOf('sees')).filter((line) => line.startsWith('messages')).slice(-3);
  expect(seen).toHaveLength(3);
  for (const [index, line] of seen.slice(1).entries())
    expect(line.startsWith(seen[index] ?? '-')).toBe(true);
});

test('an aborted run is told as such, to the last event', async () => {
  const controller = new AbortController();
  const script = [{ before: () => controller.abort(), ...ANSWER }];
  const run = await play(stage.runtime, script, { sessionId: 'plain', signal: controller.signal });
  expect(run.result.status).toBe('cancelled');
  expect(run.points.at(-1)).toBe('sessionEnd');
});
