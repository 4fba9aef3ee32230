import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { openScriptedModel, type SeenRequest } from '../loop/scripted-model.ts';
import { openWorkplace } from './command-line.ts';

/** Each command starts a process that a busy machine takes its time for. */
const SLOW_MS = 400_000;

const TOOLS = `export const tools = [{
  name: 'add',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  run: ({ a, b }) => String(a + b),
}];`;

const FILES = {
  'runtime.json': {
    approvals: { enabled: true },
    access: { rules: [{ tool: 'add', tier: 'confirm' }] },
  },
  'tools.mjs': TOOLS,
};

const call = { id: '1', name: 'add', args: { a: 1, b: 2 } };

function script({ messages }: SeenRequest) {
  const last = messages.at(-1);
  return last?.role === 'user' ? { calls: [call] } : { text: `It is: ${last?.content}` };
}

test(
  'an agent runs from the shell; what it must ask is answered by another command',
  async () => {
    const model = await openScriptedModel(script);
    process.env['SIGNALBOX_LLM_URL'] = model.baseUrl;
    process.env['SIGNALBOX_LLM_MODEL'] = 'scripted';
    const place = await openWorkplace(FILES);
    try {
      const running = place.start(['--json', 'run', 'sum up', '--tools', 'tools.mjs']);
      const ended = once(running, 'exit') as Promise<[number]>;
      let last: Record<string, unknown> = {};
      for await (const line of createInterface({ input: running.stdout as Readable })) {
        last = JSON.parse(line) as typeof last;
        if (last['type'] !== 'approval') continue;
        const { id } = last['approval'] as { readonly id: string };
        const shown = await place.run(['approvals', 'show', id]);
        expect(shown.out).toContain('Allow the tool "add"?');
        expect(shown.out).toContain('{"add":{"a":1,"b":2}}');
        const answered = await place.run(['approvals', 'approve', id, '--note', 'go on']);
        expect(answered).toMatchObject({ code: 0, out: `${id} is granted\n` });
      }
      expect(await ended).toEqual([0, null]);
      expect(last).toMatchObject({
        type: 'result',
        outcome: 'answer',
        turns: 2,
        text: 'It is: 3\n\nNote: go on',
      });
    } finally {
      await place.remove();
      await model.close();
    }
  },
  SLOW_MS,
);

test(
  'without a model, or with one that refuses, a run ends with a clear error',
  async () => {
    const place = await openWorkplace(FILES);
    const none = await place.shell('SIGNALBOX_LLM_URL= $SB run hello');
    expect(none.code).toBe(2);
    expect(none.err).toContain('SIGNALBOX_LLM_URL');
    const model = await openScriptedModel([{ status: 401 }]);
    const refused = await place.shell(
      `SIGNALBOX_LLM_URL=${model.baseUrl} SIGNALBOX_LLM_MODEL=x $SB run hello`,
    );
    await model.close();
    await place.remove();
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('HTTP 401');
  },
  SLOW_MS,
);

test(
  'a run that is interrupted ends with 130',
  async () => {
    const model = await openScriptedModel(() => ({ before: () => new Promise(() => undefined) }));
    process.env['SIGNALBOX_LLM_URL'] = model.baseUrl;
    process.env['SIGNALBOX_LLM_MODEL'] = 'scripted';
    const own = await openWorkplace({ 'runtime.json': {} });
    const child = own.start(['run', 'hello']);
    while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(130);
    await own.remove();
    await model.close();
  },
  SLOW_MS,
);
