import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findStart } from './start-bundle.mjs';

// The command line of a checkout. Compiled code is kept from one start to the next.
const cache = fileURLToPath(new URL('../node_modules/.cache/signalbox', import.meta.url));
enableCompileCache(cache);
const start = process.argv[2] === 'start' ? await findStart(cache) : undefined;
await (start === undefined ? import('../src/cli/main.ts') : import(start));
