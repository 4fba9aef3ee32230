import semver from 'semver';

/** What a manifest says of where its package works. The registry's word: nothing of it is sure to have its type. */
export interface PlatformNeeds {
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly libc?: unknown;
  readonly engines?: unknown;
}

/**
 * Whether npm would install an optional package on this machine.
 * https://docs.npmjs.com/cli/v11/configuring-npm/package-json#os
 */
export function fitsPlatform({ os, cpu, libc, engines }: PlatformNeeds): boolean {
  const node = (engines as { readonly node?: unknown } | null | undefined)?.node;
  return (
    allows(os, () => process.platform) &&
    allows(cpu, () => process.arch) &&
    allows(libc, libcHere) &&
    (typeof node !== 'string' ||
      semver.satisfies(process.version, node, { includePrerelease: true }))
  );
}

/** One of the names, or none of those that have a `!` in front. */
function allows(list: unknown, find: () => string): boolean {
  const words = (Array.isArray(list) ? list : [list]).filter((word) => typeof word === 'string');
  if (words.length === 0 || words.includes('any')) return true;
  const here = find();
  if (words.includes(`!${here}`)) return false;
  return words.includes(here) || words.every((word) => word.startsWith('!'));
}

function libcHere(): string {
  if (process.platform !== 'linux') return '';
  // The types of Node.js 24 do not know it. Without it the report looks up the names of peers of sockets.
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const { header } = report.getReport() as {
    readonly header: { readonly glibcVersionRuntime?: string };
  };
  report.excludeNetwork = excludeNetwork;
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}
