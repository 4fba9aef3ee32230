import {
  allow,
  block,
  commandLine,
  defineHook,
  isPathWithin,
  normalisePath,
  shellCommands,
  toolKind,
  toolPaths,
  type PathBase,
} from '@signalbox/sdk';

interface Config {
  /** Folders that tools may touch. */
  readonly roots: readonly string[];
  /** Names of files and folders that they may not touch even there. */
  readonly denied?: readonly string[];
  /** What relative paths start from. */
  readonly cwd: string;
  readonly home?: string;
}

export function createHook({ roots, denied = [], cwd, home }: Config) {
  const base: PathBase = home === undefined ? { cwd } : { cwd, home };
  const names = new Set(denied.map((name) => name.toLowerCase()));
  return defineHook({
    points: ['preToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
    run(_point, { toolName, args }, ctx) {
      const paths = [
        ...toolPaths(args),
        ...(toolKind(toolName) === 'shell' ? shellPaths(args) : []),
      ];
      for (const path of paths) {
        if (/^https?:/i.test(path)) continue;
        const plain = normalisePath(path, base);
        if (!roots.some((root) => isPathWithin(plain, root, base))) {
          ctx.log('outside');
          return block('The path is outside of the folders that tools may touch');
        }
        if (plain.split('/').some((part) => names.has(part.toLowerCase()))) {
          ctx.log('denied');
          return block('The path names a file that tools may not touch');
        }
      }
      return allow();
    },
  });
}

/** What looks like a path in a command line, and what it writes to. */
function shellPaths(args: Readonly<Record<string, unknown>>): string[] {
  return shellCommands(commandLine(args) ?? '').flatMap((command) => {
    const words = command.args.flatMap((arg) => arg.replace(/^-[^=]*=/, '').split('\n'));
    const written = command.redirects.map(({ target }) => target);
    return [...words, ...written].filter(
      (word) =>
        /^(?:~|\.{0,2}[/\\]|[A-Za-z]:[/\\])|[/\\]/.test(word) &&
        !/^\/dev\/(?:null|stdout|stderr)$/.test(word),
    );
  });
}
