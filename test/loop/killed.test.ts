import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkplace } from '../cli/command-line.ts';
import { openScriptedModel, type SeenRequest } from './scripted-model.ts';

/** Each command starts a process that a busy machine takes its time for. */
const SLOW_MS = 400_000;

const TOOLS = `import { appendFileSync } from 'node:fs';
const tool = (name) => ({
  name,
  parameters: { type: 'object' },
  run() {
    appendFileSync('ran.txt', name + '\\n');
    return name + ' done';
  },
});
export const tools = [tool('pay'), tool('read')];`;

const FILES = {
  'runtime.json': {
    approvals: { enabled: true },
    access: { rules: [{ tool: 'pay', tier: 'confirm' }] },
  },
  'tools.mjs': TOOLS,
};

function script({ messages }: SeenRequest) {
  if (messages.at(-1)?.role === 'tool') return { text: 'all done' };
  const call = (id: string, name: string) => ({ id, name, args: {} });
  return { calls: [call('1', 'pay'), call('2', 'read'), call('3', 'pay')] };
}

test(
  'a run that was killed while people were asked goes on with their answers',
  async () => {
    const model = await openScriptedModel(script);
    process.env['SIGNALBOX_LLM_URL'] = model.baseUrl;
    process.env['SIGNALBOX_LLM_MODEL'] = 'scripted';
    const place = await openWorkplace(FILES);
    const tools = ['--tools', 'tools.mjs'];
    try {
      const running = place.start(['--json', 'run', 'pay', '--session', 's', ...tools]);
      const ids: string[] = [];
      for await (const line of createInterface({ input: running.stdout as Readable })) {
        const event = JSON.parse(line) as { type: string; approval: { id: string } };
        if (event.type === 'approval') ids.push(event.approval.id);
        if (ids.length === 2) break;
      }
      const { messages } = model.requests[0] as SeenRequest;
      expect(messages).toHaveLength(1);
      const gone = once(running, 'exit');
      running.kill('SIGKILL');
      expect(await gone).toEqual([null, 'SIGKILL']);
      const [first = '', second = ''] = ids;
      expect(await place.runAlone(['approvals', 'approve', first])).toMatchObject({ code: 0 });
      expect(await place.runAlone(['approvals', 'deny', second])).toMatchObject({ code: 0 });
      const resumed = await place.runAlone(['run', '--resume', 's', ...tools]);
      expect(resumed).toMatchObject({ code: 0, out: 'all done\n' });
      expect(await readFile(join(place.folder, 'ran.txt'), 'utf8')).toBe('pay\nread\n');
      const results = model.requests[1]?.messages.filter(({ role }) => role === 'tool');
      expect(results).toMatchObject([
        { tool_call_id: '1', content: 'pay done' },
        { tool_call_id: '2', content: 'read done' },
        { tool_call_id: '3', content: 'User denied: Allow the tool "pay"?' },
      ]);
    } finally {
      await place.remove();
      await model.close();
    }
  },
  SLOW_MS,
);
