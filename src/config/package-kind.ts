/** What an entry of `packages` names. */
export type PackageKind = 'folder' | 'tarball' | 'name' | 'remote';

// https://docs.npmjs.com/cli/configuring-npm/package-json#name
const NAME = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/;

/**
 * Reads what the text of a package entry names: a tarball or folder by path, a package by name, or something that only an
 * installation fetches (a URL or a git repository). `undefined`: none of these.
 */
export function packageKind(text: string): PackageKind | undefined {
  if (/[\u0000-\u001f\u007f]/.test(text)) return undefined;
  if (/^(?:https?|git|ssh|github|gitlab|bitbucket|npm)(?:\+\w+)?:/.test(text)) return 'remote';
  if (/\.(?:tgz|tar\.gz|tar)$/i.test(text)) return 'tarball';
  if (/^(?:\.{1,2}(?:[\\/]|$)|\/|[A-Za-z]:[\\/])/.test(text)) return 'folder';
  return NAME.test(text) && text.length <= 214 ? 'name' : undefined;
}
