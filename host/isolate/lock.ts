import { registerHooks } from 'node:module';

/** Ends this process at once. Taken before {@link lockDown}: `process.kill` itself goes through what that cuts. */
export function captureKill(): () => void {
  const { pid } = process;
  // Behind `process.kill`, and not among its types.
  const { _kill: kill } = process as unknown as {
    readonly _kill: (pid: number, signal: number) => number;
  };
  return () => void kill.call(process, pid, SIGKILL);
}

const SIGKILL = 9;

interface Permission {
  readonly drop?: (scope: string) => void;
  readonly has: (scope: string) => boolean;
}

/** Ways out of the process that the permission model does not cover, or that an addon load would open. */
const CUT = [
  'kill',
  '_kill',
  'dlopen',
  'binding',
  '_linkedBinding',
  'abort',
  'reallyExit',
  '_debugProcess',
  '_debugEnd',
  '_startProfilerIdleNotifier',
  '_stopProfilerIdleNotifier',
  'chdir',
  'setuid',
  'setgid',
  'seteuid',
  'setegid',
  'setgroups',
  'initgroups',
  'loadEnvFile',
  'getBuiltinModule',
  'mainModule',
  'report',
  'execve',
  'umask',
  'openStdin',
  '_getActiveHandles',
  '_getActiveRequests',
  '_rawDebug',
  '_fatalException',
  '_preload_modules',
  // Their class opens sockets, those of the file system included, which no network namespace shuts.
  'stdin',
  'stdout',
  'stderr',
] as const;

/** Ways to the network, and to machine code, that are on the global object. */
const CUT_GLOBALS = [
  'fetch',
  'WebSocket',
  'EventSource',
  'BroadcastChannel',
  'Request',
  'Response',
  'WebAssembly',
] as const;

/**
 * Gives up what the process needed to start: the right to read its own files, to load the addon and to load any module,
 * Node's own included. Called before any byte of a package arrives. Returns what could not be given up.
 */
export function lockDown(): string[] {
  const kept: string[] = [];
  for (const name of Object.keys(process.env)) delete process.env[name];
  // Its types know neither `drop` nor that it may be absent.
  const { permission } = process as unknown as { permission?: Permission };
  for (const scope of ['fs.read', 'addon']) {
    permission?.drop?.(scope);
    if (permission?.has(scope) !== false) kept.push(scope);
  }
  for (const name of CUT) {
    const isGone = Reflect.deleteProperty(process, name);
    if (!isGone && name in process) kept.push(`process.${name}`);
  }
  for (const name of CUT_GLOBALS) {
    const isGone = Reflect.deleteProperty(globalThis, name);
    if (!isGone && name in globalThis) kept.push(name);
  }
  registerHooks({ resolve: refuse });
  return kept;
}

function refuse(): never {
  throw new Error('No module is loaded after the start');
}
