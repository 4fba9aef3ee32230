import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestHost } from '../../src/testing/index.ts';
import { ROOT } from '../house/imports.ts';

const hook = join(ROOT, 'examples/packages/path-guard/hooks/path-guard');
const calm = { timeoutMs: 30_000 };

test('[D15] a rule on paths holds in every spelling of a path', { timeout: 60_000 }, async () => {
  const config = { roots: ['C:/project/docs', '/workspace'], cwd: '/workspace', home: '/home/me' };
  const host = await openTestHost({ hook, config, ...calm });
  const write = async (file_path: string) =>
    (await host.run('preToolUse', { toolName: 'Write', args: { file_path, content: 'x' } })).action;
  try {
    for (const path of [
      'C:\\project\\src\\index.ts',
      'C:/project/src/index.ts',
      'c:\\project\\docs\\..\\src\\index.ts',
      '//etc//passwd',
      '/workspace/../etc/passwd',
      '~/notes',
      'file:///etc/passwd',
    ]) {
      expect(await write(path), path).toBe('block');
    }
    for (const path of ['C:\\project\\docs\\a.md', '/workspace//src/./a.ts', 'src/a.ts']) {
      expect(await write(path), path).toBe('allow');
    }
  } finally {
    await host.close();
  }
});

test(
  '[G08] a guard of paths sees what a shell writes, and not what another language writes: its README says so',
  { timeout: 60_000 },
  async () => {
    const host = await openTestHost({ hook, ...calm });
    const shell = async (command: string) =>
      (await host.run('preToolUse', { toolName: 'Bash', args: { command } })).action;
    try {
      for (const command of [
        'cat > /protected/a',
        'echo x | tee /protected/a',
        "cat <<'E' > /protected/a\nx\nE",
        'cp x /protected/a',
      ]) {
        expect(await shell(command), command).toBe('block');
      }
      expect(await shell("python - <<'E'\nopen('/protected/a','w').write('x')\nE")).toBe('allow');
    } finally {
      await host.close();
    }
  },
);
