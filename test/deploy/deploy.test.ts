import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

test('the health check of the image asks the port that the server was given', async () => {
  const [, command = '[]'] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(DOCKERFILE) ?? [];
  // The text is ours, and a command of another form fails below.
  const [program, ...args] = JSON.parse(command) as string[];
  expect(program).toBe('node');
  let status = 200;
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/readyz' ? status : 404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server on a port has an address of that form.
  const { port } = server.address() as AddressInfo;
  const exitCode = async (): Promise<unknown> => {
    const env = { ...process.env, SIGNALBOX_SERVER_PORT: String(port) };
    return (await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit'))[0];
  };
  expect(await exitCode()).toBe(0);
  status = 503;
  expect(await exitCode()).toBe(1);
  server.close();
  await once(server, 'close');
  expect(await exitCode()).toBe(1);
}, 60_000);

test('the image copies all that is versioned in a project, and writes where the guide says alone', () => {
  const copied = [...DOCKERFILE.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  expect(copied.toSorted()).toEqual([
    'hooks',
    'package-lock.json',
    'package.json',
    'runtime.json',
    'runtime.lock.json',
  ]);
  expect(DOCKERFILE).toMatch(/^RUN install -d -o node .* \.signalbox$/m);
  expect(DOCKERFILE).toMatch(/^USER node$/m);
});

test('no configuration of npm stays in the image', () => {
  expect(DOCKERFILE).not.toMatch(/^(?:COPY|ADD) .*npmrc/m);
  const installs = DOCKERFILE.match(/^RUN (?:.*\\\n)*.*(?:npm|signalbox) ci.*$/gm) ?? [];
  expect(installs).toHaveLength(2);
  for (const step of installs) {
    expect(step).toContain('--mount=type=secret,id=npmrc,target=/root/.npmrc');
  }
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
