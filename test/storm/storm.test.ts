import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runStorm, type StormReport } from './run-storm.ts';

/** Small in `npm test`, 20,000 in `npm run test:storm`. */
const CALLS = Number(process.env['SIGNALBOX_STORM_CALLS'] ?? 600);
const SEED = Number(process.env['SIGNALBOX_STORM_SEED'] ?? 20_261_130);
const UNDER_PRESSURE = fileURLToPath(new URL('./under-pressure.ts', import.meta.url));
const PATIENCE_MS = 3_600_000;

function hold(report: StormReport, calls: number): void {
  expect(report.problems).toEqual([]);
  expect(report.decided).toBe(calls);
  expect(report.kills).toBeGreaterThan(0);
  // Only what a killed or stopped process can cause.
  const known = [
    'allow',
    'block',
    'crash',
    'sandbox_lost',
    'timeout',
    'queue_timeout',
    'load_timeout',
    'queue_full',
  ];
  expect(Object.keys(report.outcomes).filter((name) => !known.includes(name))).toEqual([]);
  // Who is lost beside another's death is a bystander; who had the process is the culprit.
  for (const name of Object.keys(report.roles)) {
    if (name.startsWith('crash')) expect(name).toMatch(/^crash culprit$/);
    if (name.startsWith('sandbox_lost')) expect(name).toBe('sandbox_lost bystander');
  }
}

test(
  'while processes are killed and stopped at random every call has one decision by its failPolicy, and all answer afterwards',
  async () => {
    const report = await runStorm({ calls: CALLS, seed: SEED });
    if (process.env['SIGNALBOX_STORM_CALLS'] !== undefined)
      process.stdout.write(`${JSON.stringify(report)}\n`);
    hold(report, CALLS);
  },
  PATIENCE_MS,
);

test(
  'the same holds in a host that is short of memory',
  async () => {
    const calls = Math.ceil(CALLS / 3);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--max-old-space-size=120',
        '--conditions=@signalbox/source',
        UNDER_PRESSURE,
        String(calls),
        String(SEED + 1),
        '48',
      ],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    hold(JSON.parse(stdout) as StormReport, calls);
  },
  PATIENCE_MS,
);
