import { expect, test } from 'vitest';
import {
  distrust,
  integritiesOf,
  type PackageFacts,
  type TrustPolicy,
} from '../../src/grants/trust-policy.ts';
import { configFromObject } from '../../src/config/load-config.ts';
import type { LockedProvenance } from '../../src/packages/lock/lock-file.ts';
import { openTemporary } from '../runtime/temporary-runtime.ts';

const NONE: TrustPolicy = { allOf: [], anyOf: [], block: [] };
const BUNDLE = 'b'.repeat(64);

function facts(provenance?: LockedProvenance, more: Partial<PackageFacts> = {}): PackageFacts {
  const hashes = [...integritiesOf('sha512-AAAA== sha1-BBBB='), 'a'.repeat(64), BUNDLE];
  return { name: '@acme/guard', version: '1.2.3', kind: 'registry', hashes, provenance, ...more };
}

const SIGNED = { signature: 'verified', attestation: 'absent', keys: ['SHA256:k1'] } as const;
const BUILT = {
  signature: 'verified',
  attestation: 'verified',
  source: 'https://github.com/acme/guards (.github/workflows/release.yml)',
} as const;
const UNVERIFIED = { ...BUILT, signature: 'absent', attestation: 'unverified' } as const;

test('without a policy everything is trusted', () => {
  expect(distrust(NONE, facts())).toBeUndefined();
});

test.each<readonly [string, LockedProvenance | undefined, boolean]>([
  ['signature', SIGNED, true],
  ['signature', undefined, false],
  ['signature', UNVERIFIED, false],
  ['provenance', BUILT, true],
  ['provenance', SIGNED, false],
  ['provenance', UNVERIFIED, false],
  ['key:SHA256:k1', SIGNED, true],
  ['key:SHA256:k2', SIGNED, false],
  ['key:SHA256:k1', { ...SIGNED, signature: 'absent' }, false],
  ['source:https://github.com/acme', BUILT, true],
  ['source:https://github.com/acme/', BUILT, true],
  ['source:https://github.com/acme/guards', BUILT, true],
  ['source:https://github.com/ac', BUILT, false],
  ['source:https://github.com/acme/guard', BUILT, false],
  ['source:https://github.com/acme', UNVERIFIED, false],
  ['nonsense', BUILT, false],
])('required %s of %j is met: %s', (requirement, provenance, isMet) => {
  for (const policy of [
    { ...NONE, allOf: [requirement] },
    { ...NONE, anyOf: [requirement] },
  ]) {
    expect(distrust(policy, facts(provenance)) === undefined).toBe(isMet);
  }
});

test('all of the one list and any of the other are needed', () => {
  const policy = { ...NONE, allOf: ['signature'], anyOf: ['provenance', 'key:SHA256:k1'] };
  expect(distrust(policy, facts(SIGNED))).toBeUndefined();
  expect(distrust(policy, facts(BUILT))).toBeUndefined();
  expect(distrust(policy, facts({ signature: 'verified', attestation: 'absent' }))).toMatch(
    /none of provenance, key/,
  );
  expect(distrust(policy, facts({ ...BUILT, signature: 'absent' }))).toMatch(/lacks signature/);
});

test.each([
  ['@acme', true],
  ['@acme/guard', true],
  ['@acm', false],
  ['@acme/', false],
  ['acme', false],
])('the scope %s allows @acme/guard: %s', (scope, isAllowed) => {
  expect(distrust({ ...NONE, scopes: [scope] }, facts()) === undefined).toBe(isAllowed);
});

test.each([
  [{ package: '@acme/guard' }, true],
  [{ package: '@acme/other' }, false],
  [{ package: '@acme/guard', version: '<1.2.4' }, true],
  [{ package: '@acme/guard', version: '>=2' }, false],
  [{ hash: 'sha512-AAAA==' }, true],
  [{ hash: 'sha1-BBBB=' }, true],
  [{ hash: BUNDLE }, true],
  [{ hash: 'sha512-CCCC==' }, false],
  [{ package: '@acme/other', hash: BUNDLE }, false],
])('the block %j refuses @acme/guard@1.2.3: %s', (block, isBlocked) => {
  const policy = { ...NONE, block: [{ ...block, reason: 'CVE-1' }] };
  const why = distrust(policy, facts(BUILT));
  expect(why).toBe(isBlocked ? 'it is blocked: CVE-1' : undefined);
});

test('the name of what lies at a URL is what its author says, and vouches for nothing', () => {
  const remote = facts(BUILT, { kind: 'remote' });
  expect(distrust({ ...NONE, scopes: ['@acme'] }, remote)).toMatch(/no registry/);
  expect(distrust({ ...NONE, allOf: ['provenance'] }, remote)).toBeUndefined();
});

test('a block wins over everything that speaks for a package', () => {
  const block = [{ package: '@acme/guard', reason: 'stolen key' }];
  const policy = { scopes: ['@acme'], allOf: ['signature'], anyOf: ['provenance'], block };
  expect(distrust(policy, facts(BUILT))).toMatch(/stolen key/);
});

test('a prerelease and a version that cannot be read do not slip past a range', () => {
  const policy = { ...NONE, block: [{ package: '@acme/guard', version: '<2', reason: 'r' }] };
  for (const version of ['1.9.9-rc.1', '1.0.0-0', '', 'latest']) {
    expect(distrust(policy, facts(BUILT, { version })), version).toBeDefined();
  }
  expect(distrust(policy, facts(BUILT, { version: '2.0.0' }))).toBeUndefined();
});

test("the operator's own folders are held against the block list alone", () => {
  const own = { kind: 'own', hashes: [] } as const;
  expect(
    distrust({ ...NONE, scopes: ['@other'], allOf: ['provenance'] }, facts(undefined, own)),
  ).toBe(undefined);
  const block = [{ package: '@acme/guard', reason: 'r' }];
  expect(distrust({ ...NONE, block }, facts(undefined, own))).toBeDefined();
});

test.each([
  [{ block: [{ package: 'a', version: '<<1', reason: 'r' }] }, 'trust.block[0].version'],
  [{ block: [{ version: '<1', reason: 'r' }] }, 'trust.block[0]'],
  [{ block: [{ package: 'a' }] }, 'trust.block[0]'],
  [{ allOf: ['signed'] }, 'trust.allOf[0]'],
  [{ alOf: ['signature'] }, 'trust.alOf'],
])('a policy with a slip is refused at its place: %j', (trust, key) => {
  try {
    configFromObject({ trust }, '/');
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ code: 'config_invalid', data: { key } });
  }
});

test('a blocked package stays in its chain and fails by policy, and none of its code runs', async () => {
  const module = 'throw new Error("it ran"); export const run = () => ({ action: "allow" });';
  const { runtime, remove } = await openTemporary(
    {
      shut: { home: 'evil', scene: 'shut', module },
      open: { home: 'evil', scene: 'open', module, manifest: { failPolicy: 'open' } },
      fine: { home: 'good', scene: 'fine', run: '({ action: "block", reason: "ran" })' },
    },
    { trust: { block: [{ package: 'evil', version: '*', reason: 'CVE-2' }] } },
  );
  try {
    const fire = (sessionId: string) =>
      runtime.fire('preToolUse', { toolName: 't' }, { sessionId });
    expect(await fire('shut')).toMatchObject({ action: 'block', code: 'untrusted' });
    expect(await fire('open')).toMatchObject({ action: 'allow' });
    expect(await fire('fine')).toMatchObject({ reason: 'ran' });
    const row = runtime.inventory().hooks.find(({ hook }) => hook === 'shut');
    expect(row).toMatchObject({
      state: 'failing',
      failure: { code: 'untrusted', detail: 'it is blocked: CVE-2' },
    });
  } finally {
    await remove();
  }
});
