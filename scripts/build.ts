import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { publint, type Message } from 'publint';
import { formatMessage } from 'publint/utils';

const ROOT = join(import.meta.dirname, '..');

/** The published packages: folder and the configuration of its emit. */
const PACKAGES = [
  { folder: ROOT, project: 'tsconfig.build.json' },
  { folder: join(ROOT, 'sdk'), project: 'sdk/tsconfig.build.json' },
];

// Run by name before a release: install scripts are off, so nothing builds by itself.
for (const { folder, project } of PACKAGES) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '--project', project], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  // tsc has said what is wrong.
  if (status !== 0) process.exit(1);
}
for (const { folder } of PACKAGES) {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: 'npm', strict: true });
  for (const message of messages) console.error(describe(message, pkg));
  if (messages.length > 0) process.exitCode = 1;
  else console.log(`${String(pkg?.['name'])} ${String(pkg?.['version'])} is fit to publish`);
}

function describe(message: Message, pkg: Record<string, unknown> | undefined): string {
  return `${message.type}: ${formatMessage(message, pkg ?? {}, { color: false }) ?? message.code}`;
}
