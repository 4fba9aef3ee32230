/** What paths are relative to. */
export interface PathBase {
  /** Absolute; without it a relative path stays relative. */
  readonly cwd?: string;
  /** What `~` and `$HOME` stand for; without it they stay as they are. */
  readonly home?: string;
}

/**
 * Writes a path in one way, so that rules can be held against it: `/` between parts, no empty ones, no `.` and no `..` but
 * leading ones of a relative path, `~`, `$HOME` and `file:` resolved, drive letters upper-case. It says nothing of links:
 * only the tool that opens the path knows where those lead.
 *
 * @example
 * ```ts
 * normalisePath('/srv//app/./data/../.env'); // '/srv/app/.env'
 * normalisePath('..\\secrets\\key', { cwd: '/srv/app' }); // '/srv/secrets/key'
 * normalisePath('~/.ssh', { home: '/home/ann' }); // '/home/ann/.ssh'
 * ```
 */
export function normalisePath(path: string, base: PathBase = {}): string {
  const resolved = atHome(plainPath(path), base.home);
  const isWhole = rootOf(resolved) !== '' || resolved.startsWith('~') || base.cwd === undefined;
  const whole = isWhole ? resolved : `${plainPath(base.cwd)}/${resolved}`;
  const root = rootOf(whole);
  const parts: string[] = [];
  for (const part of whole.slice(root.length).split('/')) {
    if (part === '' || part === '.') continue;
    const isUp = part === '..';
    if (isUp && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!isUp || root === '') parts.push(part);
  }
  return root + parts.join('/') || '.';
}

/**
 * Whether a path is a folder or lies in it, however either is spelled. A relative path without `cwd` lies in no absolute
 * folder.
 *
 * @example
 * ```ts
 * isPathWithin('/srv/app/../etc/passwd', '/srv/app'); // false
 * isPathWithin('data/a.csv', '/srv/app', { cwd: '/srv/app' }); // true
 * ```
 */
export function isPathWithin(path: string, folder: string, base: PathBase = {}): boolean {
  const inner = normalisePath(path, base);
  const outer = normalisePath(folder, base);
  if (outer === '.') return rootOf(inner) === '' && !/^(\.\.|~)(\/|$)/.test(inner);
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

/** A path with `/` alone, without what only marks it as one, its drive upper-case. */
function plainPath(path: string): string {
  const slashed = path.trim().replaceAll('\\', '/');
  const local = slashed.replace(/^\/\/[?.]\/(?=[A-Za-z]:)/, '');
  const plain = /^file:/i.test(local)
    ? decoded(local.replace(/^file:(\/\/(localhost)?)?/i, ''))
    : local;
  return plain.replace(/^\/?([A-Za-z]):\/?/, (_, drive: string) => `${drive.toUpperCase()}:/`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function atHome(path: string, home: string | undefined): string {
  if (home === undefined) return path;
  return path.replace(/^(~|\$HOME|\$\{HOME\}|%USERPROFILE%)(?=\/|$)/i, () => plainPath(home));
}

/** `/`, a drive such as `C:/`, or nothing for a relative path. */
function rootOf(path: string): string {
  return /^([A-Z]:)?\//.exec(path)?.[0] ?? '';
}
