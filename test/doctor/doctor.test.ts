import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LAYERS } from '../../host/launch.ts';
import { engineVersions, judgeEngine } from '../../src/doctor/engine.ts';
import { examine } from '../../src/doctor/examine.ts';
import { judgeLayers } from '../../src/doctor/layers.ts';
import { judgePlaces } from '../../src/doctor/places.ts';

async function folderWith(config: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'runtime.json');
  await writeFile(file, config);
  return file;
}

test.each(['4.3.6', '5.0.4', '6.1.2', '6.2.0', '7.0.0'])(
  'isolated-vm %s is weak, and what is wrong with it is named',
  (isolatedVm) => {
    const findings = judgeEngine({ ...engineVersions(), isolatedVm });
    expect(findings.filter(({ state }) => state === 'weak').length).toBeGreaterThan(1);
    expect(findings.find(({ name }) => name === 'isolated-vm')?.state).toBe('weak');
  },
);

test('the versions of this checkout are fine', () => {
  expect(judgeEngine(engineVersions()).map(({ state }) => state)).toEqual(['fine', 'fine']);
});

test.each(['20.20.0', '22.23.0', '25.1.0'])('Node.js %s is weak', (node) => {
  const [first] = judgeEngine({ ...engineVersions(), node });
  expect(first).toMatchObject({ name: 'Node.js', state: 'weak' });
});

test.each(Object.keys(LAYERS))(
  'the lack of the layer %s is told with what it means and what to do',
  (layer) => {
    const active = Object.keys(LAYERS).filter((each) => each !== layer);
    const finding = judgeLayers(active).find(({ name }) => name === layer);
    expect(finding?.state).not.toBe('fine');
    expect(finding?.detail).toMatch(/^absent: /);
    expect(finding?.advice).toBeTruthy();
  },
);

test('neither a network namespace nor a user of its own is a weak combination', () => {
  const active = ['permission', 'environment', 'cores', 'files', 'parent'];
  expect(judgeLayers(active).some(({ state }) => state === 'weak')).toBe(true);
  expect(judgeLayers([...active, 'user']).some(({ state }) => state === 'weak')).toBe(false);
  expect(judgeLayers([...active, 'network']).some(({ state }) => state === 'weak')).toBe(false);
});

test('a configuration that cannot be read is weak, with the place and the fix', async () => {
  const [finding] = await judgePlaces(await folderWith('{ "packages": 3 }'));
  expect(finding).toMatchObject({ about: 'place', name: 'configuration', state: 'weak' });
  expect(finding?.advice).toBeTruthy();
});

test('a database that cannot be opened is weak', async () => {
  const findings = await judgePlaces(
    await folderWith('{ "store": { "file": "/dev/null/store.db" } }'),
  );
  expect(findings.find(({ name }) => name.includes('/dev/null'))?.state).toBe('weak');
});

// Nobody, not even root, makes files there.
const UNWRITABLE = '/sys/kernel';

test.skipIf(process.platform !== 'linux')(
  'a cache that is only read is fine, as in an image; one that cannot be made is weak (needs Linux)',
  async () => {
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const file = await folderWith('{}');
    const stateWith = async (cache: string): Promise<string | undefined> => {
      vi.stubEnv('SIGNALBOX_CACHE', cache);
      return (await judgePlaces(file)).find(({ name }) => name === `cache ${cache}`)?.state;
    };
    expect(await stateWith(UNWRITABLE)).toBe('fine');
    expect(await stateWith(`${UNWRITABLE}/absent`)).toBe('weak');
  },
);

test('doctor provokes the hazards in real sandboxes and finds the layers of a process that was started', async () => {
  const steps: string[] = [];
  const { findings, ok } = await examine(await folderWith('{}'), (text) => steps.push(text));
  const hazards = findings.filter(({ about }) => about === 'hazard');
  expect(hazards.length).toBeGreaterThanOrEqual(5);
  // A machine that others keep busy may decide late or start slowly, which is no escape.
  const late = /was decided after|no sandbox came up|gave (queue|load)_timeout|gave timeout/;
  expect(hazards.filter(({ state, detail }) => state !== 'fine' && !late.test(detail))).toEqual([]);
  expect(findings.filter(({ about }) => about === 'layer').map(({ name }) => name)).toEqual(
    Object.keys(LAYERS),
  );
  expect(ok).toBe(findings.every(({ state }) => state !== 'weak'));
  expect(steps.length).toBeGreaterThan(5);
}, 120_000);
