import {
  allow,
  ask,
  block,
  commandLine,
  defineHook,
  shellCommands,
  shellOptions,
  toolKind,
  type ShellCommand,
} from '@signalbox/sdk';

interface Config {
  /** Names of shell tools besides those that are known. */
  readonly tools?: readonly string[];
}

interface Rule {
  readonly why: string;
  readonly fits: (command: ShellCommand, has: (...options: string[]) => boolean) => boolean;
}

/** Places whose loss is the loss of everything. */
const ROOTS =
  /^(?:\/|\/\*|~\/?\*?|\.{1,2}\/?|\*|\$HOME\/?\*?|\$\{HOME\}\/?\*?|\/(?:bin|boot|dev|etc|home|lib|opt|root|sbin|srv|sys|usr|var)\/?\*?)$/;
const DEVICE = /^\/dev\/(?:sd|hd|vd|nvme|mmcblk|disk)/;
const SHELL = /^(?:ba|da|z|k)?sh$|^(?:python|perl|ruby|node)\d*$/;

const RULES: readonly Rule[] = [
  {
    why: 'deletes a whole tree',
    fits: ({ program, args }, has) =>
      program === 'rm' &&
      has('r', 'R', '--recursive') &&
      operands(args).some((path) => ROOTS.test(path)),
  },
  {
    why: 'deletes whatever it finds',
    fits: ({ program, args }) =>
      program === 'find' && args.includes('-delete') && args.some((path) => ROOTS.test(path)),
  },
  {
    why: 'makes a file system',
    fits: ({ program }) => /^(?:mkfs(?:\..*)?|wipefs|fdisk|parted)$/.test(program),
  },
  {
    why: 'writes to a disk',
    fits: ({ program, args, redirects }) =>
      (program === 'dd' &&
        args.some((arg) => arg.startsWith('of=') && DEVICE.test(arg.slice(3)))) ||
      redirects.some(({ target }) => DEVICE.test(target)),
  },
  {
    why: 'stops the machine',
    fits: ({ program }) => /^(?:shutdown|reboot|halt|poweroff)$/.test(program),
  },
  {
    why: 'opens files to everybody',
    fits: ({ program, args }, has) =>
      /^ch(?:mod|own)$/.test(program) &&
      has('R', '--recursive') &&
      operands(args).some((path) => ROOTS.test(path)),
  },
  {
    why: 'runs what another command prints',
    fits: ({ program, args, isPiped }) =>
      isPiped && SHELL.test(program) && operands(args).length === 0,
  },
  {
    why: 'rewrites what others have',
    fits: ({ program, args }, has) =>
      program === 'git' && args.includes('push') && has('f', '--force'),
  },
];

export function createHook({ tools = [] }: Config = {}) {
  return defineHook({
    points: ['preToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
    run(_point, { toolName, args }, ctx) {
      if (toolKind(toolName) !== 'shell' && !tools.includes(toolName)) return allow();
      const line = commandLine(args);
      if (line === undefined) return allow();
      if (/\(\)\s*\{[^}]*\|[^}]*&/.test(line))
        return block('The command starts itself without end');
      const commands = shellCommands(line);
      for (const command of commands) {
        const { options } = shellOptions(command.args);
        const has = (...names: string[]): boolean => names.some((name) => options.has(name));
        const rule = RULES.find(({ fits }) => fits(command, has));
        if (rule === undefined) continue;
        ctx.log(rule.why);
        return block(`The command ${rule.why}`);
      }
      const isHidden = commands.some(
        ({ program, isDynamic }) => isDynamic && /[$`]|^(?:eval|)$/.test(program),
      );
      return isHidden ? ask('The command runs something that is only known when it runs') : allow();
    },
  });
}

function operands(args: readonly string[]): readonly string[] {
  return shellOptions(args).operands;
}
