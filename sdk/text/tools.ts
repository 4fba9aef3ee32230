/** What kinds of tools agents have, and the names that systems give them; source: their own tool lists. */
const TOOL_NAMES = {
  shell:
    'bash shell sh zsh powershell pwsh cmd terminal execute exec command run_command run_shell_command run_terminal_cmd run_terminal_command run_in_terminal execute_command exec_command shell_command local_shell unified_exec container.exec developer__shell execute_bash computer_terminal',
  read: 'read read_file read_files read_many_files view view_file open_file cat get_file_contents file_read notebook_read',
  write:
    'write write_file write_to_file create create_file save_file file_write add_file overwrite_file',
  edit: 'edit edit_file multi_edit replace replace_in_file str_replace str_replace_editor str_replace_based_edit_tool apply_patch apply_diff patch insert_edit_into_file search_replace notebook_edit text_editor developer__text_editor',
  delete: 'delete delete_file remove_file rm',
  search:
    'grep grep_search search search_files search_file_content codebase_search ripgrep find_in_files',
  list: 'ls list list_dir list_directory list_files glob file_search find_files',
  fetch: 'fetch web_fetch fetch_url http_request read_url curl browse url_fetch read_web_page',
  delegate: 'task agent dispatch_agent spawn_agent subagent new_task delegate run_subagent',
} as const;

/** What a tool does, whatever its system calls it. */
export type ToolKind = keyof typeof TOOL_NAMES;

const KINDS: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(TOOL_NAMES).flatMap(([kind, names]) =>
    // The keys of the table are its kinds.
    names.split(' ').map((name) => [plainName(name), kind as ToolKind] as const),
  ),
);

/**
 * What kind of tool a name stands for in the systems that are known: `Bash`, `run_shell_command` and `powershell` are all
 * `shell`. Nothing for a name that is not known, a tool of an MCP server among them: list those in your config.
 *
 * @example
 * ```ts
 * toolKind('run_shell_command'); // 'shell'
 * toolKind('WriteFile'); // 'write'
 * toolKind('mcp__shop__refund'); // undefined
 * ```
 */
export function toolKind(name: string): ToolKind | undefined {
  return KINDS.get(plainName(name));
}

/**
 * Whether two names mean the same tool: equal but for case and separators, or of one kind.
 *
 * @example
 * ```ts
 * isSameTool('Bash', 'run_shell_command'); // true
 * isSameTool('shop.refund', 'shop_refund'); // true
 * isSameTool('Bash', 'Read'); // false
 * ```
 */
export function isSameTool(name: string, other: string): boolean {
  if (plainName(name) === plainName(other)) return true;
  const kind = toolKind(name);
  return kind !== undefined && kind === toolKind(other);
}

const COMMAND_KEYS = ['command', 'cmd', 'script', 'commandline', 'input', 'code'];
const PATH_KEY =
  /^(?:file|files|path|paths|filename|filepath|file_?paths?|absolute_?path|relative_?path|target_?file|notebook_?path|source|destination|src|dest|from|to|dir|directory|cwd|workdir|uri)$/i;

/**
 * The command line in the arguments of a shell tool, whatever its key is; a list of words, as some systems send it, is
 * joined with quotes.
 *
 * @example
 * ```ts
 * commandLine({ command: 'ls -l' }); // 'ls -l'
 * commandLine({ cmd: ['bash', '-lc', 'rm -rf /'] }); // "'bash' '-lc' 'rm -rf /'"
 * ```
 */
export function commandLine(args: Readonly<Record<string, unknown>>): string | undefined {
  for (const [key, value] of Object.entries(args)) {
    if (!COMMAND_KEYS.includes(plainName(key))) continue;
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((part) => typeof part === 'string')) {
      return value.map((part: string) => `'${part.replaceAll("'", String.raw`'\''`)}'`).join(' ');
    }
  }
  return undefined;
}

/**
 * The paths in the arguments of a file tool, at any depth, by the keys that systems give them. Those that a patch or a
 * command line names are not among them.
 *
 * @example
 * ```ts
 * toolPaths({ file_path: '/etc/passwd', edits: [{ filePath: 'a.txt' }] }); // ['/etc/passwd', 'a.txt']
 * ```
 */
export function toolPaths(args: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(args).flatMap(([key, value]) => pathsIn(value, PATH_KEY.test(key)));
}

function pathsIn(value: unknown, isPath: boolean): string[] {
  if (typeof value === 'string') return isPath ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, isPath));
  return toolPaths(value as Readonly<Record<string, unknown>>);
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s._-]/g, '');
}
