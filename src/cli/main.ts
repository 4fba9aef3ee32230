#!/usr/bin/env node
import { SignalboxError } from '../../sdk/errors.ts';

const OLDEST_NODE = 24;

// Everything else is imported after this: an older Node may not even be able to read it.
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  const error = new SignalboxError('node_too_old', { version: process.versions.node });
  process.stderr.write(`error node_too_old: ${error.message}. ${error.hint}.\n`);
  process.exitCode = 2;
} else {
  const { runCommandLine } = await import('./program.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
