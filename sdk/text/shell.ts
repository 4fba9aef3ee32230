import { shellTokens, type ShellToken } from './shell-words.ts';

/** One program that a command line starts. */
export interface ShellCommand {
  /** Its name without folders and in lower case, quotes and backslashes resolved: `rm` for `'/bin/r'\m`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly redirects: readonly { readonly operator: string; readonly target: string }[];
  /** It reads what the command before it prints. */
  readonly isPiped: boolean;
  /** Part of it is only known when it runs, or was nested too deep to be read. */
  readonly isDynamic: boolean;
}

const MAX_DEPTH = 8;
const SHELLS = /^(?:ba|da|a|z|k|fi|c|tc)?sh$/;
/** Programs whose arguments are a command of their own, and the options of theirs that take a value. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ugpCDRThr]$/,
  doas: /^-[uC]$/,
  env: /^(-[uC]|--unset|--chdir)$/,
  nohup: /^$/,
  time: /^-[fo]$/,
  nice: /^-n$/,
  ionice: /^-[cn]$/,
  timeout: /^-[sk]$/,
  stdbuf: /^-[ioe]$/,
  setsid: /^$/,
  command: /^$/,
  builtin: /^$/,
  exec: /^-a$/,
  xargs: /^-[IiLnPsdEa]$/,
  busybox: /^$/,
  watch: /^-n$/,
};
const KEYWORDS = /^(?:if|then|else|elif|do|while|until|!|\{|\}|fi|done|esac)$/;
const ASSIGNMENT = /^\w+\+?=/;

/**
 * The programs that a command line of a POSIX shell starts, in order: those behind `;`, `&&`, `|` and newlines, in
 * `$(…)`, backquotes and here-documents for shells, behind `sudo`, `env A=b` and the like, and in `sh -c '…'` and
 * `eval`. It runs nothing. What a script, an alias or another language starts it cannot see, so that a rule on programs
 * is a seat belt and no wall.
 *
 * @example
 * ```ts
 * const [first, second] = shellCommands("cd /tmp && sudo sh -c 'r\\m -r\"f\" /'");
 * first?.program; // 'cd'
 * second?.program; // 'rm'
 * second?.args; // ['-rf', '/']
 * ```
 */
export function shellCommands(line: string): ShellCommand[] {
  return commandsIn(line, 0);
}

/**
 * The options and the other arguments of a command: `-rf` is `r` and `f`, `--recursive` is itself, `--` ends options.
 *
 * @example
 * ```ts
 * const { options, operands } = shellOptions(['-rf', '--force', '--', '-x', '/']);
 * [...options]; // ['r', 'f', '--force']
 * operands; // ['-x', '/']
 * ```
 */
export function shellOptions(args: readonly string[]): {
  readonly options: ReadonlySet<string>;
  readonly operands: readonly string[];
} {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const before = args.slice(0, end);
  const isOption = (arg: string): boolean => /^-./.test(arg);
  const options = before.filter(isOption).flatMap((arg) => {
    if (arg.startsWith('--')) return [arg.replace(/=.*$/s, '')];
    return arg.slice(1).split('');
  });
  const operands = [...before.filter((arg) => !isOption(arg)), ...args.slice(end + 1)];
  return { options: new Set(options), operands };
}

function commandsIn(line: string, depth: number): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let tokens: ShellToken[] = [];
  let isPiped = false;
  const finish = (): void => {
    commands.push(...readCommand(tokens, isPiped, depth));
    tokens = [];
  };
  for (const token of shellTokens(line)) {
    if (token.type !== 'operator') {
      tokens.push(token);
      continue;
    }
    finish();
    // Inside a group the pipe still leads to its first command.
    if (token.text !== '(') isPiped = token.text === '|' || token.text === '|&';
  }
  finish();
  return commands;
}

type Word = Extract<ShellToken, { type: 'word' }>;

function readCommand(
  tokens: readonly ShellToken[],
  isPiped: boolean,
  depth: number,
): ShellCommand[] {
  const words: Word[] = [];
  const redirects: { operator: string; target: string }[] = [];
  const documents: string[] = [];
  let operator: string | undefined;
  for (const token of tokens) {
    if (token.type === 'redirect') operator = token.text;
    else if (token.type === 'document') documents.push(token.text);
    else if (token.type === 'word' && operator !== undefined) {
      redirects.push({ operator, target: token.text });
      operator = undefined;
    } else if (token.type === 'word') words.push(token);
  }
  const inner = tokens.flatMap((token) => (token.type === 'word' ? token.inner : []));
  const nested = depth < MAX_DEPTH ? inner.flatMap((line) => commandsIn(line, depth + 1)) : [];
  const isTooDeep = depth >= MAX_DEPTH && inner.length > 0;
  const named = withoutPrefix(words.flatMap(splitAtSpaces));
  const [first, ...rest] = named;
  if (first === undefined) return nested;
  const command: ShellCommand = {
    program: programName(first.text),
    args: rest.map(({ text }) => text),
    redirects,
    isPiped,
    isDynamic: isTooDeep || named.some(({ isDynamic }) => isDynamic),
  };
  return [...nested, ...unwrap(command, { words: rest, documents, depth })];
}

/** An unquoted `$IFS` stands for a space, which divides words. */
function splitAtSpaces(word: Word, index: number): Word[] {
  if (index > 0 || !/\S \S/.test(word.text)) return [word];
  return word.text.split(' ').map((text) => ({ ...word, text }));
}

/** The words from the program's name on. */
function withoutPrefix(words: readonly Word[]): readonly Word[] {
  const start = words.findIndex(({ text }) => !ASSIGNMENT.test(text) && !KEYWORDS.test(text));
  return start < 0 ? [] : words.slice(start);
}

function programName(text: string): string {
  return (text.split(/[/\\]/).at(-1) ?? text).toLowerCase().replace(/\.exe$/, '');
}

interface Insides {
  readonly words: readonly Word[];
  readonly documents: readonly string[];
  readonly depth: number;
}

/** The command itself, or what it hands to a shell or starts in its place. */
function unwrap(command: ShellCommand, { words, documents, depth }: Insides): ShellCommand[] {
  const { program, args, isPiped } = command;
  if (depth >= MAX_DEPTH) return [{ ...command, isDynamic: true }];
  const valued = WRAPPERS[program];
  if (valued !== undefined && Object.hasOwn(WRAPPERS, program)) {
    const start = startOfWrapped(program, args, valued);
    const tokens = [...words.slice(start), ...documents.map(asDocument)];
    const inside = readCommand(tokens, isPiped, depth + 1);
    return inside.length > 0
      ? inside.map((one) => ({ ...one, redirects: [...one.redirects, ...command.redirects] }))
      : [command];
  }
  if (program === 'eval') return orItself(command, commandsIn(args.join(' '), depth + 1));
  if (!SHELLS.test(program)) return [command];
  const flag = args.findIndex((arg) => /^-\w*c\w*$/.test(arg));
  const script = flag < 0 ? undefined : args[flag + 1];
  if (script !== undefined) return orItself(command, commandsIn(script, depth + 1));
  const fed = [
    ...documents,
    ...command.redirects
      .filter(({ operator }) => operator.endsWith('<<<'))
      .map(({ target }) => target),
  ];
  return orItself(
    command,
    fed.flatMap((text) => commandsIn(text, depth + 1)),
  );
}

function orItself(command: ShellCommand, inside: readonly ShellCommand[]): ShellCommand[] {
  if (inside.length === 0) return [command];
  // What is only known later may be any command at all.
  return inside.map((one) => ({ ...one, isDynamic: one.isDynamic || command.isDynamic }));
}

function asDocument(text: string): ShellToken {
  return { type: 'document', text };
}

/** Where the command starts in the arguments of a program that wraps one. */
function startOfWrapped(program: string, args: readonly string[], valued: RegExp): number {
  let at = 0;
  while (at < args.length) {
    const arg = args[at] ?? '';
    if (arg === '--') return at + 1;
    if (arg.startsWith('-')) at += valued.test(arg) ? 2 : 1;
    else if (program === 'env' && ASSIGNMENT.test(arg)) at += 1;
    else break;
  }
  return program === 'timeout' ? at + 1 : at;
}
