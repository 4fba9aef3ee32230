import { realpath } from 'node:fs/promises';
import { hasConfigFolder } from '../agent-os/config-folder.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import type { Finding } from './candidate.ts';
import type { Origin } from './catalog.ts';
import { scanHooks } from './hook-folders.ts';

const LOCAL: Origin = { kind: 'local', name: 'local', version: '' };

/** The hooks of `hooks/` beside runtime.json: the user's own code, installed by consent. */
export async function findLocalHooks(folder: string): Promise<readonly Finding[]> {
  const root = await realpath(folder).catch(() => folder);
  const { found, skipped } = await scanHooks(root, '');
  const findings: Finding[] = found.map(({ manifest, handler, handlerFile }) => ({
    kind: 'candidate',
    candidate: {
      name: manifest.name,
      manifest,
      origin: LOCAL,
      consent: { kind: 'installed' },
      code: { boundary: { root }, place: handler, file: handlerFile },
    },
  }));
  for (const { name, error } of skipped) {
    findings.push({ kind: 'absent', absent: { name, origin: LOCAL, reason: 'skipped', error } });
  }
  return [...findings, ...(await findConfigured(root))];
}

/** The hooks of `config/`, where agent-os keeps them; most checkouts have none, and do not pay for the parser of YAML. */
async function findConfigured(root: string): Promise<readonly Finding[]> {
  if (!(await hasConfigFolder(root))) return [];
  return (await import('../agent-os/agent-files.ts')).findAgentOsHooks(root);
}

/** The one hook of a configuration that names its manifest. */
export async function findHookFile({
  hookFile = '',
  hookDb,
}: Pick<RuntimeConfig, 'hookFile' | 'hookDb'>): Promise<readonly Finding[]> {
  const { findOneHook } = await import('../agent-os/agent-files.ts');
  const finding = await findOneHook(hookFile);
  if (finding.kind === 'absent' || hookDb === undefined) return [finding];
  const { candidate } = finding;
  const config = { ...candidate.manifest.config, db_path: hookDb };
  return [
    { kind: 'candidate', candidate: { ...candidate, manifest: { ...candidate.manifest, config } } },
  ];
}
