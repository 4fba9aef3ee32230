import { expect, test } from 'vitest';
import { diffLocks } from '../../src/audit/lock-diff.ts';
import {
  EMPTY_LOCK,
  type LockedHook,
  type LockedPackage,
} from '../../src/packages/lock/lock-file.ts';
import { lockOf, locked } from './locks.ts';

const HASH = 'a'.repeat(64);

function said(before: LockedPackage, after: LockedPackage): readonly string[] {
  const changes = diffLocks(lockOf({ pkg: before }), lockOf({ pkg: after }));
  return changes.map(({ hook, what, isRisk }) => `${isRisk ? '! ' : ''}${hook}: ${what}`);
}

function withHook(hook: Partial<LockedHook>): LockedPackage {
  const guard = { capabilities: ['store:read:a'], points: ['preToolUse'], bundle: HASH } as const;
  return locked({ hooks: { guard: { ...guard, ...hook } } });
}

test('locks of the same packages have no difference, whoever wrote them and when', () => {
  const again = locked({ consent: { ...locked().consent, by: 'bob', at: '2026-02-02T00:00:00Z' } });
  expect(said(locked(), again)).toEqual([]);
});

test('a package that comes is a risk to look at, one that goes is not', () => {
  const one = lockOf({ constructor: locked() });
  expect(diffLocks(EMPTY_LOCK, one)).toMatchObject([
    {
      package: 'constructor',
      what: '1.0.0 was added with reads_tool_io, gates_tools',
      isRisk: true,
    },
  ]);
  expect(diffLocks(one, EMPTY_LOCK)).toMatchObject([{ what: '1.0.0 was removed', isRisk: false }]);
});

test('a host that is written in another case is no difference', () => {
  const host = (name: string): LockedPackage =>
    locked({
      ...withHook({ capabilities: [`net:fetch:${name}`] }),
      consent: { ...locked().consent, capabilities: [`net:fetch:${name}`] },
    });
  expect(said(host('API.Example.com'), host('api.example.com'))).toEqual([]);
  expect(said(host('API.Example.com'), host('api.example.org'))).toHaveLength(4);
});

test('a capability counts as more by what it covers, not by its text', () => {
  expect(said(withHook({ capabilities: ['store:read'] }), withHook({}))).toEqual([
    'guard: it no longer asks for store:read',
  ]);
  expect(said(withHook({}), withHook({ capabilities: ['store:read'] }))).toEqual([
    '! guard: it asks for store:read',
  ]);
  expect(said(withHook({}), withHook({ capabilities: ['store:read:b'] }))).toEqual([
    '! guard: it asks for store:read:b',
    'guard: it no longer asks for store:read:a',
  ]);
});

test('a guard that leaves a point, opens or goes away is a risk', () => {
  expect(said(withHook({}), withHook({ points: ['preOutput'] }))).toEqual([
    'guard: it is bound to preOutput',
    '! guard: it is no longer bound to preToolUse',
  ]);
  expect(said(withHook({}), withHook({ failPolicy: 'open' }))).toEqual([
    '! guard: its failPolicy was the default and is open',
  ]);
  expect(said(withHook({}), locked({ hooks: {} }))).toEqual(['! guard: the hook was removed']);
  expect(said(locked({ hooks: {} }), withHook({}))).toEqual([
    '! guard: the hook was added at preToolUse and asks for store:read:a',
  ]);
});

test('other bytes under the same version are a risk, and so is another origin', () => {
  expect(said(locked(), locked({ integrity: 'sha512-BBBB' }))).toEqual([
    '! : 1.0.0 has other bytes than before',
  ]);
  expect(
    said(locked({ resolved: 'https://a/x.tgz' }), locked({ resolved: 'https://b/x.tgz' })),
  ).toEqual(['! : it comes from https://b/x.tgz, not https://a/x.tgz']);
  expect(said(locked(), locked({ version: '1.1.0', integrity: 'sha512-BBBB' }))).toEqual([
    ': 1.0.0 became 1.1.0',
  ]);
});

test('provenance that is lost, or of another source, is a risk', () => {
  const provenance = {
    signature: 'verified',
    attestation: 'verified',
    source: 'github.com/a',
  } as const;
  expect(said(locked({ provenance }), locked())).toEqual([
    '! : signature was verified and is absent',
    '! : attestation was verified and is absent',
    '! : it was built from github.com/a, and now from an unknown source',
  ]);
  expect(said(locked(), locked({ provenance }))).toEqual([
    ': signature was absent and is verified',
    ': attestation was absent and is verified',
  ]);
});

test('a wider consent names who gave it', () => {
  const consent = { ...locked().consent, capabilities: ['reads_tool_io', 'llm:call'], by: 'bob' };
  expect(said(locked(), locked({ consent }))).toEqual([
    '! : llm:call granted by bob',
    ': gates_tools no longer granted',
  ]);
});

test('what is bundled into a package counts', () => {
  const dep = (version: string, integrity = 'sha512-X') => ({
    'node_modules/a': { version, integrity },
  });
  expect(said(locked(), locked({ dependencies: dep('1.0.0') }))).toEqual([
    '! : node_modules/a 1.0.0 is bundled into it',
  ]);
  expect(
    said(locked({ dependencies: dep('1.0.0') }), locked({ dependencies: dep('1.0.1') })),
  ).toEqual([': node_modules/a 1.0.0 became 1.0.1']);
  expect(
    said(
      locked({ dependencies: dep('1.0.0') }),
      locked({ dependencies: dep('1.0.0', 'sha512-Y') }),
    ),
  ).toEqual(['! : node_modules/a 1.0.0 has other bytes']);
});
