import semver from 'semver';
import { requireOwn } from '../../host/home.ts';
import type { Finding } from './finding.ts';

/** Versions that are in use. */
export interface EngineVersions {
  readonly node: string;
  readonly v8: string;
  readonly isolatedVm: string;
}

/** What is known to be wrong with versions of the engine, by range. */
const ADVISORIES = [
  {
    name: 'GHSA-2jjq-x548-rhpv',
    range: '<4.3.7',
    detail: 'compile caches of a guest are executed',
  },
  {
    name: 'GHSA-864f-rcv7-6rh4',
    range: '<6.2.0 || 7.0.0',
    detail: 'getters of a guest run in the middle of a copy out of its isolate',
  },
  {
    name: 'resizable buffers',
    range: '<7.0.0',
    detail: 'a copied view of a resized buffer aborts the process',
  },
  {
    name: 'module resolution',
    range: '<7.0.1',
    detail: 'a failing import crashes the process',
  },
] as const;

const MIN_NODE_MAJOR = 24;

/** The versions of this very process and of the engine that it starts in others. */
export function engineVersions(): EngineVersions {
  const { version } = requireOwn('isolated-vm/package.json') as {
    version: string;
  };
  return { node: process.versions.node, v8: process.versions.v8, isolatedVm: version };
}

/** Holds versions against what is known of them. */
export function judgeEngine({ node, v8, isolatedVm }: EngineVersions): Finding[] {
  const major = semver.major(node);
  const isSupported = major >= MIN_NODE_MAJOR && major % 2 === 0;
  const advisories = ADVISORIES.filter(({ range }) => semver.satisfies(isolatedVm, range));
  return [
    {
      about: 'engine',
      name: 'Node.js',
      state: isSupported ? 'fine' : 'weak',
      detail: `${node}, V8 ${v8}`,
      ...(!isSupported && { advice: `Use an even version from ${MIN_NODE_MAJOR} on` }),
    },
    {
      about: 'engine',
      name: 'isolated-vm',
      state: advisories.length === 0 ? 'fine' : 'weak',
      detail: `${isolatedVm}, ${advisories.length === 0 ? 'no known advisory' : 'with known faults'}`,
    },
    ...advisories.map(({ name, detail }): Finding => ({
      about: 'engine',
      name,
      state: 'weak',
      detail,
      advice: 'Install isolated-vm 7.0.1 or later',
    })),
  ];
}
