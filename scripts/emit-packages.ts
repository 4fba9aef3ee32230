import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** A package that is published. */
interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
  /** The configuration of its emit. */
  readonly project: string;
  /** What is published beside `dist`. */
  readonly files: readonly string[];
  /** Folders of data that the compiler does not copy, by their place in `dist`. */
  readonly data: Readonly<Record<string, string>>;
  /** Programs that make folders of it, by their place in `dist`, which they are given. */
  readonly programs: Readonly<Record<string, string>>;
}

/** The packages that are published. */
export const PUBLISHED: readonly PublishedPackage[] = [
  {
    name: 'signalbox',
    folder: ROOT,
    project: 'tsconfig.build.json',
    files: ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
    data: { 'src/scaffold/templates': 'src/scaffold/templates' },
    programs: { 'scripts/build-console.ts': 'console' },
  },
  {
    name: '@signalbox/sdk',
    folder: join(ROOT, 'sdk'),
    project: 'sdk/tsconfig.build.json',
    files: ['package.json', 'README.md', 'LICENSE', 'schemas'],
    data: {},
    programs: {},
  },
];

/** Compiles a package into `dist` of a folder, its own if none is given. Says whether nothing went wrong. */
export function emitPackage(
  { folder, project, data, programs }: PublishedPackage,
  target: string = folder,
): boolean {
  const dist = join(target, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '--project', project, '--outDir', dist], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  for (const [from, to] of Object.entries(data)) {
    cpSync(join(folder, from), join(dist, to), { recursive: true });
  }
  const isMade = Object.entries(programs).every(([program, to]) => {
    const made = spawnSync(process.execPath, [join(ROOT, program), join(dist, to)], {
      cwd: ROOT,
      stdio: 'inherit',
    });
    return made.status === 0;
  });
  return status === 0 && isMade;
}

/** Puts what is published of a package into a folder. Says whether nothing went wrong. */
export function stagePackage(published: PublishedPackage, target: string): boolean {
  for (const file of published.files) {
    cpSync(join(published.folder, file), join(target, file), { recursive: true });
  }
  return emitPackage(published, target);
}
