import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Program, Report } from './probe-child.ts';

/** What a program in a fresh isolate came to. */
export interface Result {
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string };
  readonly lines: readonly string[];
}

/** Runs programs in isolates of a process of its own. The maker closes it. */
export interface Probe {
  /** Runs a text as the body of an async function, with the globals of a hook. */
  run(source: string): Promise<Result>;
  /** The same with the globals that V8 gives to a context. */
  runBare(source: string): Promise<Result>;
  close(): void;
}

/** Bundles the guest globals as the host does. */
export async function bundleGlobals(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('probe-entry.ts', import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    target: 'es2024',
    platform: 'neutral',
    format: 'iife',
    globalName: 'guest',
    banner: { js: '(() => {"use strict";' },
    footer: { js: 'return guest.boot})()' },
  });
  return result.outputFiles[0]?.text ?? '';
}

/** Starts the process; isolated-vm needs a flag that a test worker cannot have. */
export async function openProbe(): Promise<Probe> {
  const prelude = await bundleGlobals();
  const child = fork(fileURLToPath(new URL('probe-child.ts', import.meta.url)), [], {
    execArgv: ['--no-node-snapshot'],
  });
  let lastId = 0;
  const run = async (source: string, isBare: boolean): Promise<Result> => {
    lastId += 1;
    const report = await ask(child, { id: lastId, prelude, source, isBare });
    return readReport(report);
  };
  return {
    run: (source) => run(source, false),
    runBare: (source) => run(source, true),
    close: () => void child.kill('SIGKILL'),
  };
}

function ask(child: ChildProcess, program: Program): Promise<Report> {
  return new Promise((resolve, reject) => {
    const onReport = (report: Report): void => {
      if (report.id !== program.id) return;
      child.off('message', onReport);
      child.off('exit', onExit);
      resolve(report);
    };
    const onExit = (): void => reject(new Error('the probe has ended'));
    child.on('message', onReport);
    child.on('exit', onExit);
    child.send(program);
  });
}

function readReport(report: Report): Result {
  const [kind, ...rest] = JSON.parse(report.text) as [string, ...unknown[]];
  if (kind === 'value') return { value: rest[0], lines: report.lines };
  if (kind === 'child') throw new Error(String(rest[0]));
  return { error: { name: String(rest[0]), message: String(rest[1]) }, lines: report.lines };
}
