import type { HandlerEntry } from '../sdk/contracts/adapter.ts';
import type { FailureCode } from '../sdk/errors.ts';
import type { Manifest } from '../sdk/manifest.ts';

/** How a hook is kept apart: an isolate in a process of its package, or a worker thread of the local hooks' process. */
export type SandboxKind = 'isolate' | 'worker';

/** A hook as the host loads it. */
export interface HookSource {
  /** Unique name in this runtime. */
  readonly name: string;
  readonly sandbox: SandboxKind;
  /** Hooks of one owner share processes: `name@version` of a package, or `local`. */
  readonly owner: string;
  readonly contract: Manifest['contract'];
  readonly config: Readonly<Record<string, unknown>>;
  /** One ESM text with every import bundled. Empty in a worker that imports the file. */
  readonly code: string;
  /** Beside a text: name relative to the package, for stack traces. Else the absolute path of the handler. */
  readonly file: string;
  readonly memoryMb: number;
  /** What hook.json says, for contracts whose modules name it again. */
  readonly declared?: Pick<Manifest, 'name' | 'points' | 'ports' | 'outputs'>;
}

/** What a bridge answers; never a rejection, so that both sides of the boundary see data alone. */
export type BridgeAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: BridgeCode; readonly message: string };

/** Why a bridge refused: `capability` makes the run a failure even if the hook catches it. */
export type BridgeCode = 'capability' | 'credit' | 'invalid' | 'unavailable' | 'shadow';

/** Answers one bridge call of a run: `op` such as `store.get`, its arguments as JSON values. */
export type BridgeHandler = (op: string, args: readonly unknown[]) => Promise<BridgeAnswer>;

/** One run of one hook. */
export interface Call {
  readonly hook: string;
  /** Runs of one session share module state; two sessions never do. */
  readonly sessionId: string;
  /** JSON text of {@link RunInput}. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Bridge operations the hook may see on `ctx`, e.g. `store.get`. `log` is always there. */
  readonly ops: readonly string[];
  readonly bridge: BridgeHandler;
  readonly signal?: AbortSignal | undefined;
}

/** What a run is given, as JSON: the hook's `run(point, payload, ctx)` is made from it. */
export interface RunInput {
  readonly point: string;
  /** The registered handler to run, where the module has such. */
  readonly handler?: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The data part of `ctx`; functions are added inside the sandbox by `ops`. */
  readonly ctx: Readonly<Record<string, unknown>>;
}

/** What is known of a run besides its answer. */
export interface RunFacts {
  /** From hand-over to the sandbox until the outcome. */
  readonly ms: number;
  /** Lines of `ctx.log`, in order, already capped. */
  readonly logs: readonly string[];
  /** In a failure that took a process with it: who did it, and who was beside it. */
  readonly role?: 'culprit' | 'bystander';
}

/** The outcome of a run: the answer as JSON text, or a failure whose code comes from the host's own state. */
export type CallResult =
  | ({ readonly ok: true; readonly answer: string } & RunFacts)
  | ({ readonly ok: false; readonly code: FailureCode; readonly detail: string } & RunFacts);

/** What loading a hook came to. */
export type LoadResult =
  | {
      readonly ok: true;
      readonly loadMs: number;
      /** What the module registered by itself, already checked; absent where it is one entry at each of its points. */
      readonly handlers?: readonly HandlerEntry[];
    }
  | {
      readonly ok: false;
      readonly code: 'load_error' | 'load_timeout' | 'memory' | 'crash';
      readonly detail: string;
    };

/** Limits of the host, from `limits` of runtime.json. */
export interface HostLimits {
  readonly loadMs: number;
  readonly graceMs: number;
  readonly queueMs: number;
  readonly queueLength: number;
  readonly rssMb: number | null;
  readonly idleMs: number | null;
  readonly maxIsolates: number;
}

/** A process that runs hooks, as inventory and doctor show it. */
export interface ProcessFacts {
  readonly owner: string;
  readonly sandbox: SandboxKind;
  readonly pid: number;
  readonly rssMb: number;
  readonly calls: number;
  /** Layers of the lock-down that are active, e.g. `permission`, `netns`, `uid`. */
  readonly layers: readonly string[];
}

/** What the processes of one kind of sandbox have to do. */
export interface SandboxLoad {
  readonly sandbox: SandboxKind;
  /** Loads and runs that wait for a process. */
  readonly queued: number;
  /** Processes that were started since the host was opened. */
  readonly started: number;
}

/** Runs hooks in processes of their own. The maker closes it. */
export interface Host {
  /** Loads a hook and reports whether it can run. Never rejects. */
  load(source: HookSource): Promise<LoadResult>;
  /** Takes note of a hook that has loaded before: its first call brings it up. */
  declare(source: HookSource): void;
  /** Brings a declared hook up before its first call; one that was dropped since stays down. */
  warm(hook: string): Promise<LoadResult | undefined>;
  /** Runs a hook; resolves at the cap at the latest. Never rejects. */
  call(call: Call): Promise<CallResult>;
  /**
   * Runs hooks of one owner in their order, sent to its process at once where they can be. A call after the first
   * resolves to `undefined` when one before it did not plainly let pass, or when it could not be sent ahead: then it has
   * not run.
   */
  callInLine(
    calls: readonly [Call, ...Call[]],
  ): readonly [Promise<CallResult>, ...Promise<CallResult | undefined>[]];
  /** Drops a hook that no call will name again, and the processes that served no other. */
  unload(hook: string): void;
  /** How many processes of each kind are about to be asked for; 0 once they were. */
  expect(processes: Readonly<Record<SandboxKind, number>>): void;
  /** Drops the isolates of a session. */
  endSession(sessionId: string): void;
  processes(): readonly ProcessFacts[];
  loads(): readonly SandboxLoad[];
  /** Ends every process, a stuck one included, within a second. */
  close(): Promise<void>;
}
