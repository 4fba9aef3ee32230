import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, openWorkplace } from '../cli/command-line.ts';
import { openScriptedModel, type SeenRequest } from './scripted-model.ts';

/** `script` of util-linux runs a command on a terminal of its own. */
const hasTerminal = ((): boolean => {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const TOOLS = `import { appendFileSync } from 'node:fs';
export const tools = [{
  name: 'pay',
  parameters: { type: 'object', properties: { to: { type: 'string' } } },
  run: ({ to }) => (appendFileSync('ran.txt', to + '\\n'), 'paid'),
}];`;

const FILES = {
  'runtime.json': { access: { rules: [{ tool: 'pay', tier: 'confirm' }] } },
  'tools.mjs': TOOLS,
};

function script({ messages }: SeenRequest) {
  if (messages.at(-1)?.role === 'tool') return { text: 'all done' };
  const call = (id: string, to: string) => ({ id, name: 'pay', args: { to } });
  return { calls: [call('1', 'ann'), call('2', 'bob')] };
}

test.skipIf(!hasTerminal)(
  'what a person types on the terminal answers the question that it stands under, and no other (needs the program "script")',
  async () => {
    const model = await openScriptedModel(script);
    const place = await openWorkplace(FILES);
    const command = `${process.execPath} --conditions=@signalbox/source ${MAIN} run pay --tools tools.mjs`;
    try {
      const env = {
        ...process.env,
        SIGNALBOX_LLM_URL: model.baseUrl,
        SIGNALBOX_LLM_MODEL: 'scripted',
      };
      const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: place.folder, env });
      const answers = ['Allow once\r', 'yes\r'];
      let screen = '';
      child.stdout.on('data', (chunk: Buffer) => {
        screen += chunk.toString();
        // The prompt is drawn anew with each key; what would run stands there once.
        const [, ...questions] = screen.split('  runs ');
        const isAsked = questions.at(-1)?.includes('Deny? ') === true;
        if (isAsked && questions.length > 2 - answers.length) {
          child.stdin.write(answers.shift() ?? '');
        }
      });
      await once(child, 'close');
      expect(screen).toContain('{"to":"ann"}');
      expect(await readFile(join(place.folder, 'ran.txt'), 'utf8')).toBe('ann\n');
      expect(model.requests[1]?.messages.slice(-2).map(({ content }) => content)).toEqual([
        'paid',
        'User denied: Allow the tool "pay"?',
      ]);
    } finally {
      await place.remove();
      await model.close();
    }
  },
  400_000,
);
