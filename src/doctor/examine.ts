import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildChildEntries } from '../../host/build.ts';
import { engineVersions, judgeEngine } from './engine.ts';
import type { Finding } from './finding.ts';
import { judgeLayers } from './layers.ts';
import { judgePlaces } from './places.ts';
import { selfTest } from './self-test.ts';

/** What doctor came to. */
export interface Diagnosis {
  /** Nothing is weak. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** Looks at the engine, the layers of a real process, the configuration, and how sandboxes hold here. About 5 seconds. */
export async function examine(
  configFile: string,
  onProgress: (text: string) => void,
): Promise<Diagnosis> {
  onProgress('Reading the configuration');
  const places = await judgePlaces(configFile);
  // What is examined is this machine, whatever the configuration says.
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-doctor-'));
  try {
    onProgress('Preparing the sandboxes');
    const { findings: hazards, layers } = await selfTest(
      await buildChildEntries(folder),
      onProgress,
    );
    const findings = [
      ...judgeEngine(engineVersions()),
      ...judgeLayers(layers),
      ...places,
      ...hazards,
    ];
    return { ok: findings.every(({ state }) => state !== 'weak'), findings };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
