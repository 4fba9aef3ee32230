import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendHistory } from '../../src/packages/lock/history.ts';
import { writeLock } from '../../src/packages/lock/lock-file.ts';
import { hookAt, hookOf, type Tree } from '../packages/workspace.ts';
import { makeProject, type Project } from './project.ts';
import { openRegistry, type Registry } from './registry.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

let registry: Registry;

const guard = (version: string): Tree => ({
  'package.json': { name: '@acme/guard', version },
  ...hookAt('guard', { capabilities: ['reads_tool_io', 'gates_tools'] }),
});

beforeAll(async () => {
  forgetNpm();
  registry = await openRegistry();
  await registry.publish(guard('1.0.0'));
  await registry.publish(guard('1.1.0'));
}, SLOW_MS);

afterAll(() => registry.close());

async function setTrust({ folder }: Project, trust: object): Promise<void> {
  const file = join(folder, 'runtime.json');
  const config = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...config, trust }, null, 2));
}

test(
  'what the policy refuses is not installed, and nobody is asked to agree to it',
  async () => {
    const project = await makeProject(registry.npmrc);
    for (const [trust, why] of [
      [{ allOf: ['signature'] }, /lacks signature/],
      [{ anyOf: ['provenance', 'key:SHA256:x'] }, /none of provenance/],
      [{ scopes: ['@other'] }, /allowed scopes/],
      [{ block: [{ package: '@acme/guard', version: '>=1.1.0', reason: 'CVE-3' }] }, /CVE-3/],
    ] as const) {
      await setTrust(project, trust);
      const before = await project.state();
      await expect(project.add('@acme/guard')).rejects.toMatchObject({
        code: 'untrusted',
        message: expect.stringMatching(why) as string,
      });
      expect(await project.state()).toEqual(before);
    }
    await setTrust(project, { scopes: ['@acme'] });
    expect((await project.add('@acme/guard@1.0.0')).code).toBe(0);
  },
  SLOW_MS,
);

test(
  'what the policy refuses by now is not installed from the lock either, and is told from the lock where it is cached',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('@acme/guard@1.0.0');
    const { integrity } = (await project.lock()).packages['@acme/guard'] ?? {};
    const cache = join(project.folder, 'packages-cache');
    for (const isCached of [true, false]) {
      if (!isCached) await rm(cache, { recursive: true });
      for (const [trust, why] of [
        [{ block: [{ package: '@acme/guard', reason: 'CVE-3' }] }, /CVE-3/],
        [{ block: [{ hash: integrity, reason: 'stolen key' }] }, /stolen key/],
        [{ scopes: ['@other'] }, /allowed scopes/],
        [{ allOf: ['provenance'] }, /lacks provenance/],
      ] as const) {
        await setTrust(project, trust);
        const before = await project.state();
        await expect(project.ci()).rejects.toMatchObject({
          code: 'untrusted',
          message: expect.stringMatching(why) as string,
        });
        expect(await project.state()).toEqual(before);
      }
    }
    await setTrust(project, { scopes: ['@acme'] });
    expect((await project.ci()).code).toBe(0);
  },
  SLOW_MS,
);

test(
  'a lock that was edited to claim what no registry proves does not get past the policy',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('@acme/guard@1.0.0');
    await forgeSignature(project);
    await rm(join(project.folder, 'packages-cache'), { recursive: true });
    await setTrust(project, { allOf: ['signature'] });
    const before = await project.state();
    await expect(project.ci()).rejects.toMatchObject({ code: 'untrusted' });
    expect(await project.state()).toEqual(before);
  },
  SLOW_MS,
);

/** Edits the lock as somebody who knows how its history is made: nothing inside the file tells. */
async function forgeSignature(project: Project): Promise<void> {
  const lock = await project.lock();
  const locked = lock.packages['@acme/guard'];
  if (locked === undefined) throw new Error('it is not locked');
  const packages = {
    '@acme/guard': {
      ...locked,
      provenance: { signature: 'verified', attestation: 'absent' } as const,
    },
  };
  const event = {
    by: 'eve',
    at: '2026-01-01T00:00:00.000Z',
    action: 'add',
    package: '@acme/guard',
    version: locked.version,
  } as const;
  await writeLock(project.folder, appendHistory({ ...lock, packages, history: [] }, event));
}

test(
  'a package that is blocked later stays and fails, by its version or by its bytes, and is not updated into',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('@acme/guard@1.0.0');
    const { integrity, bundle, hooks } = (await project.lock()).packages['@acme/guard'] ?? {};
    for (const hash of [integrity, bundle, hooks?.['guard']?.bundle]) {
      await setTrust(project, { block: [{ hash, reason: 'stolen key' }] });
      expect(hookOf(await project.catalog(), 'guard')).toMatchObject({
        failure: { code: 'untrusted', detail: 'it is blocked: stolen key' },
      });
      const [code, { findings, isDrifted }] = await project.audit();
      expect([code, isDrifted]).toEqual([1, true]);
      expect(findings[0]).toMatchObject({ kind: 'untrusted', hook: 'guard' });
    }
    await setTrust(project, { block: [{ package: '@acme/guard', version: '1.1.0', reason: 'r' }] });
    const text = await project.config();
    await writeFile(join(project.folder, 'runtime.json'), text.replace('"1.0.0"', '"^1.0.0"'));
    await project.update();
    expect((await project.lock()).packages['@acme/guard']?.version).toBe('1.0.0');
    expect(hookOf(await project.catalog(), 'guard').failure).toBeUndefined();
  },
  SLOW_MS,
);

test(
  'the audit of an installed package says who agreed, that nothing proves its build, and online what is newer',
  async () => {
    const project = await makeProject(registry.npmrc);
    await project.add('@acme/guard@1.0.0');
    const [code, report] = await project.audit(true);
    expect(code).toBe(0);
    expect(report.packages).toMatchObject([
      { name: '@acme/guard', version: '1.0.0', integrity: 'locked', newest: '1.1.0' },
    ]);
    expect(report.packages[0]?.consent?.by).toBeTruthy();
    const kinds = report.findings.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['no_provenance', 'behind']));
    const [, offline] = await project.audit();
    expect(offline.packages[0]).not.toHaveProperty('newest');
  },
  SLOW_MS,
);
