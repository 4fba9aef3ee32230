import { packageKind } from '../../config/package-kind.ts';
import { resolveVersion } from '../../packages/fetch/registry.ts';
import { EXIT } from '../exit-code.ts';
import { lockedOf, openPackages, preparationOf } from './package-session.ts';
import type { Session } from '../session.ts';

/** Lists the packages of registries that have a newer version; exit code 1 when there is one. */
export async function runOutdated(session: Session): Promise<number> {
  const packages = await openPackages(session);
  const { options, onProgress } = await preparationOf(packages);
  const published = packages.config.packages.filter(
    (entry) => packageKind(entry.package) === 'name',
  );
  const rows = await Promise.all(
    published.map(async (entry) => {
      onProgress(`Looking for ${entry.package}`);
      const [wanted, latest] = await Promise.all(
        [entry.version ?? 'latest', 'latest'].map((range) =>
          resolveVersion(entry.package, range, options),
        ),
      );
      return {
        package: entry.package,
        current: lockedOf(entry, packages)?.version,
        wanted: wanted?.version ?? '',
        latest: latest?.version ?? '',
      };
    }),
  );
  const { terminal } = session;
  terminal.progress();
  const behind = rows.filter(
    ({ current, wanted, latest }) => current !== wanted || current !== latest,
  );
  if (terminal.isJson) terminal.json(behind);
  else if (behind.length === 0) terminal.line('Every package is at its newest version.');
  else {
    terminal.table(
      ['package', 'current', 'wanted', 'latest'],
      behind.map((row) => [row.package, row.current ?? 'not installed', row.wanted, row.latest]),
    );
  }
  return behind.length === 0 ? EXIT.ok : EXIT.problems;
}
