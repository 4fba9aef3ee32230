import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SignalboxError } from '../sdk/errors.ts';
import { createLogger, type Log, type LogOptions } from '../src/log.ts';
import { temporaryFolder } from './sql/temporary-folder.ts';

async function linesOf(write: (log: Log) => void, options: LogOptions = {}): Promise<string[]> {
  const destination = new PassThrough();
  const log = createLogger({ ...options, destination });
  write(log);
  await log.close();
  return String(destination.read() ?? '')
    .split('\n')
    .slice(0, -1);
}

const RECORD = {
  point: 'preToolUse',
  hook: 'guard',
  action: 'block',
  durationMs: 1.23456,
} as const;

test('a decision is one line that says what the hook did', async () => {
  const lines = await linesOf((log) =>
    log.decision({ ...RECORD, package: 'p', version: '1.0.0', reason: 'no', sessionId: 's' }),
  );
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'warn',
    time: expect.any(String) as string,
    event: 'guardrail_decision',
    point: 'preToolUse',
    hook: 'guard',
    package: 'p',
    version: '1.0.0',
    action: 'block',
    reason: 'no',
    durationMs: 1.235,
    session: 's',
  });
});

test('a record that carries more than it should logs none of it', async () => {
  const smuggling = { ...RECORD, payload: { text: 'hunter2' }, args: 'hunter2' };
  const lines = await linesOf((log) => {
    log.decision(smuggling);
    log.info('started', { token: 'hunter2', port: 1 });
  });
  expect(lines.join('\n')).not.toContain('hunter2');
  expect(lines).toHaveLength(2);
});

test('reasons are scrubbed, and no text makes a second line', async () => {
  const lines = await linesOf((log) =>
    log.decision({ ...RECORD, reason: 'mail alice@acme.com\n{"event":"forged"}', hook: 'a\nb' }),
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('alice');
  const [none] = await linesOf((log) => log.decision({ ...RECORD, reason: 'x' }), {
    reasons: 'none',
  });
  expect(none).not.toContain('reason');
});

test('problems are named by their code', async () => {
  const lines = await linesOf((log) => {
    log.problem(new SignalboxError('hook_skipped', { hook: 'a', detail: 'no handler', file: 'x' }));
    log.problem(
      new SignalboxError('hook_name_conflict', { hook: 'a', kept: 'local', dropped: 'p@1' }),
    );
  });
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { event: 'hook_skipped', level: 'warn', message: 'Hook "a" was skipped: no handler' },
    { event: 'hook_name_conflict', level: 'warn' },
  ]);
});

test('the level holds back what is below it', async () => {
  const write = (log: Log): void => {
    log.info('started');
    log.decision({ ...RECORD, action: 'modify' });
    log.decision({ ...RECORD, action: 'allow', code: 'timeout' });
  };
  expect(await linesOf(write)).toHaveLength(3);
  expect(await linesOf(write, { level: 'warn' })).toHaveLength(1);
  expect(await linesOf(write, { level: 'silent' })).toHaveLength(0);
});

test('lines for people hold the same', async () => {
  const [line] = await linesOf((log) => log.decision({ ...RECORD, reason: 'no "x"' }), {
    pretty: true,
  });
  expect(line).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} WARN {2}guardrail_decision point="preToolUse" hook="guard" action="block" reason="no \\"x\\"" durationMs=1\.235$/,
  );
});

test('a file is written whole before close resolves, for its owner alone', async () => {
  const file = join(temporaryFolder(), 'logs', 'signalbox.log');
  const log = createLogger({ destination: file });
  for (let index = 0; index < 1000; index += 1) log.info('line', { index });
  await log.close();
  log.info('after close');
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1000);
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('a file that cannot be written stops the start with one clear error', () => {
  expect(() => createLogger({ destination: temporaryFolder() })).toThrow(
    expect.objectContaining({ code: 'file_unwritable' }) as Error,
  );
});

test('without a destination the log goes to standard error', () => {
  const module = fileURLToPath(new URL('../src/log.ts', import.meta.url));
  const script = `const { createLogger } = await import(${JSON.stringify(module)});
    const log = createLogger(); log.info('started'); await log.close();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout.toString()).toBe('');
  expect(stderr.toString()).toContain('"event":"started"');
});
