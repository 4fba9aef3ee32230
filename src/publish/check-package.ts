import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import { bundleHook } from '../packages/bundle/bundle.ts';
import { scanHooks, type FoundHook } from '../packages/hook-folders.ts';
import { differencesFrom, readFixturesIn } from '../testing/fixtures.ts';
import { openTestHost } from '../testing/test-host.ts';
import { checkCapabilityUse, type Finding } from './capability-use.ts';
import { checkPackageJson } from './package-json.ts';
import { checkTarballFiles, type TarballFile } from './tarball-files.ts';

/** Everything that is wrong with a hook package before it is published, or may be. Throws `file_unreadable`. */
export async function checkPackage(
  folder: string,
  listFiles: (root: string) => Promise<readonly TarballFile[]>,
): Promise<Finding[]> {
  const root = await realpath(folder).catch(() => folder);
  const findings = checkPackageJson(await readPackageJson(root));
  const { found, skipped } = await scanHooks(root, '');
  for (const { error } of skipped) {
    findings.push({ level: 'error', place: `hooks/`, text: String(error.data['detail']) });
  }
  if (found.length === 0 && skipped.length === 0) {
    findings.push({ level: 'error', place: 'hooks/', text: 'there is no hook' });
  }
  // npm can only list what has a name and a version.
  const isListable = !findings.some(({ text }) => /^"(?:name|version)"/.test(text));
  if (isListable) {
    const files = await listFiles(root);
    findings.push(...(await checkTarballFiles(root, files)), ...unpublished(found, files));
  }
  for (const hook of found) findings.push(...(await checkHook(root, hook)));
  return findings;
}

async function readPackageJson(root: string): Promise<Readonly<Record<string, unknown>>> {
  const file = join(root, 'package.json');
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    const { code = 'it is not JSON' } = error as NodeJS.ErrnoException;
    throw new SignalboxError('file_unreadable', { file, detail: code });
  }
  throw new SignalboxError('file_unreadable', { file, detail: 'it is no object' });
}

/** Files without which a hook does not run for anybody else. */
function unpublished(found: readonly FoundHook[], files: readonly TarballFile[]): Finding[] {
  const paths = new Set(files.map(({ path }) => path));
  return found.flatMap(({ place, handler }) =>
    [place, handler]
      .filter((path) => !paths.has(path))
      .map((path): Finding => ({
        level: 'error',
        place: path,
        text: 'is not published: add it to "files" of package.json',
      })),
  );
}

async function checkHook(root: string, hook: FoundHook): Promise<Finding[]> {
  const { manifest, handler, handlerFile, place } = hook;
  const { contract } = manifest;
  const bundle = await bundleHook({ root, file: handlerFile, place: handler, contract });
  if (!bundle.ok) return [{ level: 'error', place: handler, text: bundle.detail }];
  const uses = checkCapabilityUse(manifest, bundle.code, place);
  return [...uses, ...(await checkFixtures(root, hook))];
}

async function checkFixtures(root: string, { handlerFile }: FoundHook): Promise<Finding[]> {
  const folder = dirname(handlerFile);
  const place = folder.slice(root.length + 1).replaceAll('\\', '/');
  try {
    const fixtures = await readFixturesIn({ root, handler: handlerFile });
    if (fixtures.length === 0) {
      return [{ level: 'warning', place, text: 'has no fixtures: nobody sees what it does' }];
    }
    const host = await openTestHost({ hook: folder });
    try {
      const findings: Finding[] = [];
      for (const { file, ...fixture } of fixtures) {
        const { point, payload, context } = fixture;
        // The point checks the payload.
        const outcome = await host.run(point, payload as never, context);
        for (const text of differencesFrom(fixture, outcome.verdict)) {
          findings.push({ level: 'error', place: `${place}/fixtures/${file}`, text });
        }
      }
      return findings;
    } finally {
      await host.close();
    }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    return [{ level: 'error', place, text: `${error.code}: ${error.message}` }];
  }
}
