import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-code.ts';
import { ENVIRONMENT } from '../../src/config/environment.ts';

const FOLDER = resolve(import.meta.dirname, '../../docs/deploy');
const UNIT = readFileSync(join(FOLDER, 'signalbox.service'), 'utf8');
const DOCKERFILE = readFileSync(join(FOLDER, 'Dockerfile'), 'utf8');
const GUIDE = readFileSync(join(FOLDER, 'README.md'), 'utf8');

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd)('systemd has nothing against the unit (needs systemd-analyze)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-unit-'));
  try {
    const file = join(folder, 'signalbox.service');
    // It looks for the program, which is installed where the unit says on the operator's machine alone.
    writeFileSync(file, UNIT.replaceAll(/(?<=^Exec\w+=)\S+/gm, '/bin/true'));
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', file], {
      encoding: 'utf8',
      env: { ...process.env, SYSTEMD_LOG_LEVEL: 'warning' },
    });
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes(file))).toEqual([]);
    expect(status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the unit restarts after every end but that of a wrong configuration, and outlives its sandboxes', () => {
  expect(UNIT).toMatch(/^Restart=on-failure$/m);
  expect(UNIT).toMatch(new RegExp(`^RestartPreventExitStatus=${EXIT.usage}$`, 'm'));
  expect(UNIT).toMatch(/^OOMPolicy=continue$/m);
  expect(UNIT).toMatch(/^KillMode=mixed$/m);
});

test('the guide tells every exit code', () => {
  const told = [...GUIDE.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
  expect(told).toEqual(Object.values(EXIT));
});

test('unit, image and guide name variables that there are', () => {
  const known = new Set([...ENVIRONMENT.map(({ variable }) => variable), 'SIGNALBOX_CACHE']);
  const named = `${UNIT}${DOCKERFILE}${GUIDE}`.matchAll(/SIGNALBOX_[A-Z_]+/g);
  for (const [variable] of named) expect(known).toContain(variable);
});
