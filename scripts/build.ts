import { publint, type Message } from 'publint';
import { formatMessage } from 'publint/utils';
import { emitPackage, PUBLISHED } from './emit-packages.ts';

// Run by name before a release: install scripts are off, so nothing builds by itself.
for (const published of PUBLISHED) {
  // What went wrong has been said.
  if (!emitPackage(published)) process.exit(1);
}
for (const { folder } of PUBLISHED) {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: 'npm', strict: true });
  for (const message of messages) console.error(describe(message, pkg));
  if (messages.length > 0) process.exitCode = 1;
  else console.log(`${String(pkg?.['name'])} ${String(pkg?.['version'])} is fit to publish`);
}

function describe(message: Message, pkg: Record<string, unknown> | undefined): string {
  return `${message.type}: ${formatMessage(message, pkg ?? {}, { color: false }) ?? message.code}`;
}
