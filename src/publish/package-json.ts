import semver from 'semver';
import { packageKind } from '../config/package-kind.ts';
import type { Finding } from './capability-use.ts';

/** Looks at what npm and users need of a package.json. */
export function checkPackageJson(manifest: Readonly<Record<string, unknown>>): Finding[] {
  const { name, version, license, type, files, scripts, dependencies } = manifest;
  const findings: Finding[] = [];
  const add = (level: Finding['level'], text: string): void =>
    void findings.push({ level, place: 'package.json', text });
  if (typeof name !== 'string' || packageKind(name) !== 'name') {
    add('error', '"name" must be lower-case letters, digits and "-", with or without a scope');
  }
  if (typeof version !== 'string' || semver.valid(version) === null) {
    add('error', '"version" must be a version such as "1.0.0"');
  }
  if (typeof license !== 'string' || license === '') {
    add(
      'error',
      '"license" is missing: nobody may use what has none; "Apache-2.0" is a common one',
    );
  }
  if (type !== 'module') add('warning', '"type" should be "module": a hook is an ES module');
  if (!Array.isArray(files)) {
    add('warning', '"files" is missing: without it everything here is published');
  }
  if (manifest['private'] === true) add('error', '"private" is true: npm refuses to publish it');
  const installers = ['preinstall', 'install', 'postinstall'];
  const script = installers.find((key) => typeof record(scripts)[key] === 'string');
  if (script !== undefined) {
    add('error', `"scripts.${script}" runs nowhere: Signalbox installs packages without scripts`);
  }
  for (const [dependency, range] of Object.entries(record(dependencies))) {
    if (/^(?:file|link|workspace):/.test(String(range))) {
      add('error', `"dependencies.${dependency}" is a path of this machine`);
    }
  }
  return findings;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
