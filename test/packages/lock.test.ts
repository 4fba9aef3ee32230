import { expect, test } from 'vitest';
import {
  appendHistory,
  verifyHistory,
  type HistoryAction,
} from '../../src/packages/lock/history.ts';
import {
  EMPTY_LOCK,
  lockText,
  readLock,
  writeLock,
  type LockFile,
  type LockedPackage,
} from '../../src/packages/lock/lock-file.ts';
import { makeFolder } from './workspace.ts';

const HASH = 'a'.repeat(64);

function locked(version: string): LockedPackage {
  return {
    version,
    integrity: 'sha512-AAAA',
    bundle: HASH,
    hooks: { audit: { capabilities: ['reads_input'], points: ['preInput'], bundle: HASH } },
    consent: { capabilities: ['reads_input'], by: 'ada', at: '2026-01-01T00:00:00.000Z' },
  };
}

function step(lock: LockFile, action: HistoryAction, version: string): LockFile {
  const packages = { ...lock.packages, guards: locked(version) };
  const event = { at: '2026-01-01T00:00:00.000Z', by: 'ada', action, package: 'guards', version };
  return appendHistory({ ...lock, packages }, event);
}

function threeSteps(): LockFile {
  return step(step(step(EMPTY_LOCK, 'add', '1.0.0'), 'update', '1.1.0'), 'update', '1.2.0');
}

test('a lock that was written is read as it was, and its history holds', async () => {
  const folder = await makeFolder();
  expect(await readLock(folder)).toEqual(EMPTY_LOCK);
  await writeLock(folder, threeSteps());
  const read = await readLock(folder);
  expect(read).toEqual(threeSteps());
  expect(verifyHistory(read)).toEqual([]);
});

test('the order of keys in the file says nothing', () => {
  const lock = threeSteps();
  const turned = JSON.parse(lockText(lock), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  ) as LockFile;
  expect(verifyHistory(turned)).toEqual([]);
});

test.each([
  ['its first entry removed', (lock: LockFile) => lock.history.slice(1)],
  ['an entry in its middle removed', (lock: LockFile) => lock.history.toSpliced(1, 1)],
  ['its newest entry removed', (lock: LockFile) => lock.history.slice(0, -1)],
  ['two entries swapped', (lock: LockFile) => lock.history.toReversed()],
  ['all of it removed', () => []],
  [
    'who did it changed',
    (lock: LockFile) => lock.history.map((entry) => ({ ...entry, by: 'eve' })),
  ],
])('a history with %s does not hold', (_, change) => {
  const lock = threeSteps();
  expect(verifyHistory({ ...lock, history: change(lock) })).not.toEqual([]);
});

test('a package that was edited, added or taken out beside the history does not hold', () => {
  const lock = threeSteps();
  const edited = { ...locked('1.2.0'), integrity: 'sha512-BBBB' };
  expect(verifyHistory({ ...lock, packages: { guards: edited } })).toMatchObject([
    { seq: 3, package: 'guards' },
  ]);
  expect(verifyHistory({ ...lock, packages: {} })).toMatchObject([{ seq: 3, package: 'guards' }]);
  const more = { ...lock.packages, other: locked('1.0.0') };
  expect(verifyHistory({ ...lock, packages: more })).toMatchObject([{ seq: 0, package: 'other' }]);
});

test('a package that was removed by a command is covered', () => {
  const { history } = threeSteps();
  const event = {
    at: '',
    by: 'ada',
    action: 'remove',
    package: 'guards',
    version: '1.2.0',
  } as const;
  expect(verifyHistory(appendHistory({ ...EMPTY_LOCK, history }, event))).toEqual([]);
});

test.each([
  ['{"lockfileVersion": 1,\n oops', /line 2/],
  ['{"lockfileVersion": 2, "packages": {}, "history": []}', /lockfileVersion/],
  ['{"lockfileVersion": 1, "packages": {"x": {}}, "history": []}', /packages\.x/],
  ['[]', /must be object/],
])('a lock file that is wrong is refused with its place: %s', async (text, detail) => {
  const folder = await makeFolder({ 'runtime.lock.json': text });
  await expect(readLock(folder)).rejects.toMatchObject({
    code: 'lock_invalid',
    message: expect.stringMatching(detail),
  });
});
