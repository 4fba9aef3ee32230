import { afterAll, beforeAll, expect, test } from 'vitest';
import { MANIFEST_SCHEMA } from '../../../sdk/schemas.ts';
import type { LiveRuntime } from '../../../src/index.ts';
import { compileOwnSchema } from '../../../src/json-validator.ts';
import { openServer } from '../../../src/server/server.ts';
import { openTemporary, type TemporaryRuntime } from '../../runtime/temporary-runtime.ts';
import { script } from './scripts.ts';

let opened: TemporaryRuntime;
let runtime: LiveRuntime;

const seen =
  'export const before_user_message = ({ inputs }) => ({ context: JSON.stringify(inputs) });';

beforeAll(async () => {
  opened = await openTemporary({
    // The consumer would run first by its priority and by registration.
    a_rag: script('bag', ['preInput'], seen, {
      priority: -99,
      inputs: {
        query: { from: 'retrieval.query', default: '', required: false },
        source: { from: 'retrieval.source' },
        limit: { from: 'rag.limit', default: 5 },
      },
    }),
    condense: script(
      'bag',
      ['preInput'],
      "export const before_user_message = ({ message }) => ({ outputs: { 'retrieval.query': message.toUpperCase(), label: 'short' } });",
      { priority: -1, outputs: ['retrieval.query', { key: 'label', doc: 'how long it was' }] },
    ),
    labelled: script('bag', ['preInput'], seen, {
      inputs: { label: { from: 'condense.label' } },
    }),
    needs: script(
      'needs',
      ['preInput'],
      "export const before_user_message = () => ({ answer: 'called' });",
      { inputs: { query: { from: 'retrieval.query', required: true } } },
    ),
    circle_a: script(
      'circle',
      ['preInput'],
      "export const before_user_message = () => ({ context: 'a' });",
      {
        priority: 2,
        inputs: { other: { from: 'circle.b' } },
        outputs: ['circle.a'],
      },
    ),
    circle_b: script(
      'circle',
      ['preInput'],
      "export const before_user_message = () => ({ context: 'b' });",
      {
        priority: 1,
        inputs: { other: { from: 'circle.a' } },
        outputs: ['circle.b'],
      },
    ),
    writer: script(
      'turns',
      ['preInput'],
      `export function before_user_message({ message }, ctx) {
        if (message === 'assign') ctx.bag['intent.label'] = 'assigned';
        if (message === 'publish') ctx.bag.publish('intent.label', 'published');
      }`,
      { outputs: ['intent.label'] },
    ),
    reader: script(
      'turns',
      ['preToolUse'],
      'export const before_tool_call = ({ inputs }) => ({ args: { label: inputs.label } });',
      { inputs: { label: { from: 'intent.label', default: 'nothing' } } },
    ),
    undeclared: script(
      'undeclared',
      ['preInput'],
      "export const before_user_message = () => ({ outputs: { 'lang.user': 'de' } });",
      { failPolicy: 'closed' },
    ),
  });
  runtime = opened.runtime;
}, 120_000);

afterAll(() => opened.remove());

async function contexts(sessionId: string, text = 'hello'): Promise<string[]> {
  const { inject } = await runtime.fire('preInput', { text }, { sessionId, turnId: 't' });
  return inject.map(({ content }) => content);
}

test('[AO44] [AO45] [AO46] a hook reads what another published, else the default of its port, else nothing', async () => {
  const [rag, labelled] = await contexts('bag');
  expect(JSON.parse(rag ?? '')).toEqual({ query: 'HELLO', limit: 5 });
  expect(JSON.parse(labelled ?? '')).toEqual({ label: 'short' });
});

test('[AO47] [AO52] the producer precedes the consumer, whatever their priorities: condense before rag', async () => {
  const { trace } = await runtime.fire('preInput', { text: 'x' }, { sessionId: 'bag' });
  const order = trace.map(({ hook }) => hook);
  expect(order.indexOf('condense')).toBeLessThan(order.indexOf('a_rag'));
});

test('[AO47] on a cycle the order falls back to priority', async () => {
  expect(await contexts('circle')).toEqual(['b', 'a']);
});

test('[AO49] script hooks read ctx.inputs, and publish by outputs, assignment or publish', async () => {
  const label = async (text: string) => {
    const context = { sessionId: 'turns', turnId: text };
    await runtime.fire('preInput', { text }, context);
    return (await runtime.fire('preToolUse', { toolName: 'x' }, context)).payload.args['label'];
  };
  expect(await label('assign')).toBe('assigned');
  expect(await label('publish')).toBe('published');
});

test('[AO48] the bag belongs to the process and is empty after the next message of the user', async () => {
  const label = async (sessionId: string, turnId: string) =>
    (await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId, turnId })).payload.args[
      'label'
    ];
  await runtime.fire('preInput', { text: 'assign' }, { sessionId: 'turns', turnId: '1' });
  expect(await label('turns', '1')).toBe('assigned');
  await runtime.fire('preInput', { text: 'hello' }, { sessionId: 'turns', turnId: '2' });
  expect(await label('turns', '2')).toBe('nothing');
});

test('[AO51] a key without a dot belongs to its hook: <hook>.<port>', () => {
  expect(runtime.bag().map(({ key }) => key)).toContain('condense.label');
});

test('[AO56] a required input that is missing and has no default: the hook is skipped and neutral', async () => {
  const verdict = await runtime.fire('preInput', { text: 'x' }, { sessionId: 'needs' });
  expect(verdict).toMatchObject({ action: 'allow', isModified: false });
});

test('outputs that the manifest does not list are a failure in the words of agent-os', async () => {
  const verdict = await runtime.fire('preInput', { text: 'x' }, { sessionId: 'undeclared' });
  expect(verdict).toMatchObject({ action: 'block', code: 'invalid_decision' });
  expect(JSON.stringify(opened.logged())).toContain(
    'which the outputs of the manifest do not list',
  );
});

test('[AO50] GET /v1/hooks/bag lists producers and consumers by key', async () => {
  const server = await openServer(runtime, {
    host: '127.0.0.1',
    port: 0,
    payloadBytes: null,
    version: '0',
  });
  try {
    const response = await fetch(`${server.url}/v1/hooks/bag`);
    const { keys } = (await response.json()) as { keys: { key: string }[] };
    expect(keys.find(({ key }) => key === 'retrieval.query')).toEqual({
      key: 'retrieval.query',
      producers: ['condense'],
      consumers: [
        { hook: 'a_rag', port: 'query', required: false },
        { hook: 'needs', port: 'query', required: true },
      ],
    });
  } finally {
    await server.close();
  }
});

test('[AO45] editors are told the ports as they are written, by names or as a list of keys', () => {
  const misfit = compileOwnSchema(MANIFEST_SCHEMA);
  const manifest = (more: object) => misfit({ name: 'a', points: ['preInput'], ...more });
  const query = { from: 'retrieval.query', default: '', required: false };
  const outputs = ['retrieval.query', { key: 'label', doc: 'how long it was' }];
  expect(manifest({ inputs: { query }, outputs })).toBeUndefined();
  expect(manifest({ inputs: ['retrieval.query'], outputs: ['label'] })).toBeUndefined();
  expect(manifest({ inputs: { query: { ...query, optional: true } } })).toContain('inputs');
});
