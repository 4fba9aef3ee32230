import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hookEvent } from '../../../src/cli/hook/hook-events.ts';
import { configFromObject } from '../../../src/config/load-config.ts';
import { startRuntime, type LiveRuntime } from '../../../src/live-runtime.ts';
import { openWorkplace, type Ended, type Workplace } from '../../cli/command-line.ts';

const SCRIPT = `
export const before_user_message = ({ message }) => ({ message: message + '!', context: 'a fact' });
export const after_turn = ({ question, answer, log }) => log('turn', question, answer);
export const after_loop = ({ outcome, log }) => log('loop', outcome);
export const before_tool_call = ({ tool, args, agent, template, user_id, session_id }) =>
  tool === 'whoami' ? { result: [agent, template, user_id, session_id].join(' ') } : { args: { ...args, seen: true } };
export const after_tool_result = ({ content, is_error }) => ({ content: content + ' ' + is_error });
export const before_inference = ({ request }) => ({ model: request.model + '-mini' });
export const on_token = ({ text, final_answer }) => (final_answer ? { text: text.toUpperCase() } : { suppress: true });
export const before_context_evict = ({ summary }) => ({ summary: summary + ', and more' });
export const on_spawn = ({ pid, log }) => log('spawn', pid);
export const on_terminate = ({ exit_code, log }) => log('terminate', exit_code);
export const on_error = ({ message, log }) => log('error', message);
export const before_retry = ({ attempt }) => ({ delay_ms: attempt * 10 });
export const before_syscall = ({ syscall }) => ({ deny: syscall + ' is off' });
export const on_budget_threshold = ({ level, ratio, log }) => log('budget', level, ratio);
export const after_assistant_message = async ({ answer, llm, config }) => {
  try { await llm('judge ' + answer); } catch (error) { return { rework: 'no judge: ' + error.code + ' ' + config.db_path }; }
};
`;

let place: Workplace;
let runtime: LiveRuntime;

beforeAll(async () => {
  place = await openWorkplace({
    'hook.yaml':
      'name: everything\npriority: 10\nscript: everything.mjs\nconfig:\n  db_path: data/real.db\ncapabilities:\n  - reads_input\n  - gates_input\n  - reads_tool_io\n  - gates_tools\n  - reads_output\n  - gates_output\n  - reads_context\n  - gates_context\n  - injects_context\n  - llm:call\n',
    'everything.mjs': SCRIPT,
    'small.yaml': "script: |\n  export const on_token = () => ({ texte: 'x' });\n",
    'broken.yaml': 'priority: &p 1\n',
  });
  const config = configFromObject({ limits: { loadMs: 20_000, queueMs: 20_000 } }, place.folder);
  runtime = await startRuntime({
    config: { ...config, hookFile: join(place.folder, 'hook.yaml') },
    log: { level: 'silent' },
  });
}, 120_000);

afterAll(async () => {
  await runtime.close();
  await place.remove();
});

const hook = (...words: string[]): Promise<Ended> => place.run(['hook', 'hook.yaml', ...words]);

test('[AO54] info shows the manifest as it was read', async () => {
  const { out, code } = await hook('info');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    name: 'everything',
    priority: 10,
    config: { db_path: 'data/real.db' },
  });
  expect((JSON.parse(out) as { points: string[] }).points).toHaveLength(15);
}, 120_000);

test.each([
  [['turn', 'question', 'answer'], 'turn question answer'],
  [['loop', 'job_done'], 'loop job_done'],
  [['tool', 'echo', '{"msg":"x"}'], '"seen":true'],
  [['result', 'echo', 'text', 'false'], '"result":"text false"'],
  [['inference', '{"model":"m"}'], '"model":"m-mini"'],
  [['token', 'chunk', 'true'], '"text":"CHUNK"'],
  [['token', 'chunk', 'false'], '"action":"suppress"'],
  [['evict', 'summary'], '"summary":"summary, and more"'],
  [['spawn'], 'spawn child'],
  [['terminate', '0'], 'terminate 0'],
  [['error', 'boom'], 'error boom'],
  [['retry', '529', '2'], '"delayMs":20'],
  [['syscall', 'Send', '{}', 'other'], 'Send is off'],
  [['budget', 'user', '8', '10'], 'budget user 0.8'],
])('[AO54] the words %j are an event of the hook', async ([verb = '', ...words], outcome) => {
  const report = await runtime.test(hookEvent(verb, words));
  expect(JSON.stringify(report)).toContain(outcome);
});

test.each([
  ['turn', ['only one']],
  ['tool', ['echo', '[1]']],
  ['tool', ['echo', '{']],
  ['token', ['chunk', 'maybe']],
  ['terminate', ['soon']],
  ['spawn', ['whom']],
])('hook %s %j is a mistake on the command line', (verb, words) => {
  expect(() => hookEvent(verb, words)).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('[AO54] signalbox hook <file> user runs before_user_message and shows what it did', async () => {
  const { out, code } = await hook('user', 'Привет, мир');
  expect(out.split('\n')[0]).toBe('before_user_message: rewrite');
  expect(out).toContain('Привет, мир!');
  expect(out).toContain('context: a fact');
  expect(code).toBe(0);
}, 120_000);

test('[AO55] --agent, --template, --user and --session are in the context of the hook', async () => {
  const flags = ['--agent', 'ngu-1', '--template', 'ngu', '--user', 'alice', '--session', 's1'];
  const { out } = await hook('tool', 'whoami', ...flags);
  expect(out).toContain('result: ngu-1 ngu alice s1');
}, 120_000);

test('[AO55] --db stands for db_path, and without --live a judge gets no answer', async () => {
  const { out } = await hook('answer', 'q', 'a', '--db', 'other.db');
  expect(out).toContain('feedback: no judge: unavailable');
  expect(out).toContain('other.db');
}, 120_000);

test('a verb without a function, an unknown verb and a wrong manifest are told in the words of agent-os', async () => {
  const none = await place.run(['hook', 'small.yaml', 'user', 'hi']);
  expect(none.err).toContain('the script of "small" has no function before_user_message');
  const unknown = await hook('use', 'hi');
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.err).toContain('hook knows no "use"');
  const broken = await place.run(['hook', 'broken.yaml', 'info']);
  expect(broken.err).toContain('anchors (&) are not allowed');
  const misfit = await place.run(['hook', 'small.yaml', 'token', 'x']);
  expect(misfit.err).toContain('on_token has no outcome field "texte"');
  expect(misfit.code).toBe(1);
}, 120_000);
