import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookAt } from '../packages/workspace.ts';
import { makeProject, type Project } from './project.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

const MAIN = resolve(import.meta.dirname, '../../scripts/signalbox.mjs');

/** `script` of util-linux runs a command on a terminal of its own. */
const hasTerminal = ((): boolean => {
  try {
    execFileSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Dialogue {
  readonly code: number;
  /** Everything that stood on the terminal. */
  readonly screen: string;
}

/** Runs a command on a terminal, and types `answer` once it asks. */
async function onTerminal(project: Project, args: string, answer: string): Promise<Dialogue> {
  const command = `${process.execPath} --conditions=@signalbox/source ${MAIN} ${args}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: project.folder });
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const isAsked = screen.includes('[y/N]');
    screen += chunk.toString();
    if (!isAsked && screen.includes('[y/N]')) child.stdin.write(answer);
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, screen };
}

const FILES = {
  'guards/package.json': { name: 'guards', version: '1.0.0' },
  ...Object.fromEntries(
    Object.entries(
      hookAt('audit', { capabilities: ['reads_tool_io', 'net:fetch:example.com'] }),
    ).map(([path, content]) => [`guards/${path}`, content]),
  ),
};

describe.skipIf(!hasTerminal)('on a terminal, which the program "script" gives', () => {
  test(
    'a person sees what hooks may do in plain words, and agrees',
    async () => {
      forgetNpm();
      const project = await makeProject('', FILES);
      const { code, screen } = await onTerminal(project, 'add ./guards', 'y\r');
      expect(code).toBe(0);
      for (const text of [
        'guards@1.0.0',
        'preToolUse',
        'read the arguments and results of tools',
        'send requests to a host (host "example.com")',
        'closed',
        'Grant this and enable guards@1.0.0?',
      ]) {
        expect(screen).toContain(text);
      }
      expect(JSON.parse(await project.config())).toEqual({
        packages: [{ package: './guards', grants: ['net:fetch:example.com', 'reads_tool_io'] }],
      });
    },
    SLOW_MS,
  );

  test.each([['n\r'], ['\r'], ['yess\r'], ['\u0003']])(
    '%j is a no, and nothing is changed',
    async (answer) => {
      const project = await makeProject('', FILES);
      const before = await project.state();
      const { code, screen } = await onTerminal(project, 'add ./guards', answer);
      expect(code).not.toBe(0);
      expect(screen).toContain('Nothing was changed.');
      expect(await project.state()).toEqual(before);
    },
    SLOW_MS,
  );
});

test(
  'where nobody can be asked, nothing is enabled without --grant',
  async () => {
    const project = await makeProject('', FILES);
    const before = await project.state();
    const child = spawn(
      process.execPath,
      ['--conditions=@signalbox/source', MAIN, 'add', join(project.folder, 'guards')],
      { cwd: project.folder },
    );
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stdout.resume();
    child.stdin.end('y\n');
    expect((await once(child, 'close'))[0]).toBe(2);
    expect(text).toContain('nobody agreed to net:fetch:example.com, reads_tool_io');
    expect(await project.state()).toEqual(before);
  },
  SLOW_MS,
);
