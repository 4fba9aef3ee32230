import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const RUNTIME = resolve(import.meta.dirname, '../../src/index.ts');

/** Opens a runtime, uses it, and prints what of OpenTelemetry was imported. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const imported = [];
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@opentelemetry/')) imported.push(specifier);
    return next(specifier, context);
  },
});
const { openRuntime } = await import(${JSON.stringify(RUNTIME)});
const runtime = await openRuntime({ config: {}, log: { level: 'silent' } });
await runtime.fire('preToolUse', { toolName: 't' });
await runtime.close();
console.log(JSON.stringify(imported));
`;

test('without telemetry nothing of OpenTelemetry is loaded', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-off-'));
  try {
    const program = join(folder, 'program.mjs');
    writeFileSync(program, PROGRAM);
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--conditions=@signalbox/source', program],
      { encoding: 'utf8', cwd: folder, env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: '' } },
    );
    expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: '[]', stderr: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
