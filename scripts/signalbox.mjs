import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// The command line of a checkout. As plain JavaScript that comes before every source, it spares Node the start of what
// takes types out of sources: compiled code is kept from one start to the next.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/signalbox', import.meta.url)));
await import('../src/cli/main.ts');
