import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RuntimeConfig } from './config/runtime-config.ts';
import { startRuntime, type LiveRuntime } from './live-runtime.ts';
import type { Rig } from './rig.ts';
import { copyDatabase, copyTables } from './sql/engine.ts';

/** A runtime that decides as that of a configuration would, on copies of its databases. The maker closes it. */
export interface Rehearsal {
  readonly runtime: LiveRuntime;
  /** Ends the runtime and removes what it wrote. */
  close(): Promise<void>;
}

/** Tables of the records that decide with the hooks; what was decided before does not. */
const DECIDING = ['grant_changes', 'mode_changes', 'approval_rules', 'spend'] as const;

/**
 * Starts a runtime whose calls are live in all but what stays: its store is a copy, and records, approvals and what is
 * spent go with it. Requests that hooks send are sent.
 */
export async function openRehearsal(config: RuntimeConfig, rig?: Rig): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-rehearsal-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const [store, records] = [join(folder, 'store.db'), join(folder, 'records.db')];
  try {
    await copyDatabase(config.store.file, store);
    copyTables(config.records.file, records, DECIDING);
    const { payloads: _, ...settings } = config.records;
    const runtime = await startRuntime({
      config: {
        ...config,
        store: { ...config.store, file: store },
        records: { ...settings, file: records, retentionDays: null, maxRows: null },
      },
      log: { level: 'silent' },
      rig,
    });
    return {
      runtime,
      async close() {
        try {
          await runtime.close();
        } finally {
          await remove();
        }
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
