import { join, relative, sep } from 'node:path';
import type { FetchRequest, FetchResponse, Ports } from '../../host/bridges.ts';
import type { HookSource, SandboxKind } from '../../host/sandbox.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import type { FailPolicy } from '../../sdk/manifest.ts';
import type { PayloadInput, Point } from '../../sdk/points.ts';
import { configFromObject } from '../config/load-config.ts';
import { startRuntime, type LiveRuntime } from '../live-runtime.ts';
import { findLocalHooks } from '../packages/local-hooks.ts';
import type { Rig } from '../rig.ts';
import type { Caller, Context } from '../verdict.ts';
import { openRecording, type BridgeRecording } from './bridge-recording.ts';
import { createFakeStore, type FakeStore, type StoreRows } from './fake-store.ts';
import { fixedWorldCode } from './fixed-world.ts';
import { findHook, type HookPlace, type InlineHook } from './hook-place.ts';
import { createFrameMapper } from './source-frames.ts';
import { outcomeOf, type TestOutcome } from './outcome.ts';

/** How a test host is opened. Only `hook` is needed. */
export interface TestHostOptions {
  /** The folder of its hook.json, as a path or `new URL('…', import.meta.url)`; or a hook written here. */
  readonly hook: string | URL | InlineHook;
  /** Merged over the `config` of hook.json, as an operator's is. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** What is granted, when less than hook.json declares. */
  readonly grants?: readonly string[];
  /** An isolate for a package, a worker thread where runtime.json lies beside `hooks/`. */
  readonly sandbox?: SandboxKind;
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  readonly failPolicy?: FailPolicy;
  readonly store?: StoreRows;
  readonly caller?: Caller;
  /** What of the context is the same for every run. */
  readonly context?: Context;
  /** What `ctx.secret` gives, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Answers `ctx.fetch`; without it and without a recording nothing leaves the test. */
  readonly fetch?: (request: FetchRequest) => FetchResponse | Promise<FetchResponse>;
  /** Answers `ctx.llm`. */
  readonly llm?: (prompt: string) => string | Promise<string>;
  /** A file that answers of `fetch` and `llm` are replayed from; it is recorded from the real ones where it is missing. */
  readonly recording?: string;
  /** The time that stands still: in `payload.timestamp`, and in `Date` of an isolate. */
  readonly now?: string | number | Date;
  /** What `Math.random` of an isolate counts from. */
  readonly seed?: number;
}

/** One hook in its real sandbox. The one who opens it closes it. */
export interface TestHost {
  readonly name: string;
  readonly points: readonly Point[];
  readonly store: FakeStore;
  /** Runs the hook alone, the way that live calls go. Throws `payload_invalid` for a payload that the point refuses. */
  run<P extends Point>(point: P, payload: PayloadInput<P>, context?: Context): Promise<TestOutcome>;
  /** The runtime behind it. */
  readonly runtime: LiveRuntime;
  /** Takes over what the files of the hook say now, much sooner than a new host would. Throws as opening does; then what ran before runs on. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** What a test kit puts in the place of a hook's source, before time and chance are fixed. */
export type ChangeSource = (source: HookSource, folder: string) => HookSource;

/** Opens a hook for tests. Throws when it cannot be loaded, with the failure's own code. */
export async function openTestHost(options: TestHostOptions): Promise<TestHost> {
  return openAltered(options, {});
}

/** Opens a hook of which parts are replaced. */
export async function openAltered(
  options: TestHostOptions,
  altered: { readonly source?: ChangeSource; readonly ports?: (ports: Ports) => Ports },
): Promise<TestHost> {
  const place = await findHook(options.hook);
  const store = createFakeStore(options.store);
  const opened: { recording?: BridgeRecording; runtime?: LiveRuntime } = {};
  const close = async (): Promise<void> => {
    await opened.runtime?.close();
    await opened.recording?.save();
    await place.remove();
  };
  try {
    const now = timeOf(options);
    const world = fixedWorldCode({ now, seed: options.seed });
    const rig: Rig = {
      ...(now !== undefined && { now: () => now }),
      portsOf(real) {
        const { recording: file } = options;
        if (file !== undefined) opened.recording = openRecording(file, real);
        const ports = standIns(options, store, opened.recording?.ports);
        return altered.ports?.(ports) ?? ports;
      },
      sourceOf: (source) => withWorld(altered.source?.(source, place.workFolder) ?? source, world),
    };
    const config = configFromObject(await settingsOf(place, options), place.runtimeFolder);
    const runtime = await startRuntime({ config, log: { level: 'silent' }, rig });
    opened.runtime = runtime;
    requireLoaded(runtime, place);
    const { name } = place.manifest;
    let current = place;
    let mapFrames = frameMapperOf(place);
    return {
      name,
      get points() {
        return current.manifest.points;
      },
      store,
      runtime,
      close,
      async reload() {
        const found = await findHook(options.hook);
        await found.remove();
        if (found.manifest.name !== name) {
          throw new SignalboxError('test_setup', { detail: `the hook was "${name}"` });
        }
        current = { ...found, workFolder: place.workFolder };
        mapFrames = frameMapperOf(current);
        await runtime.reload({ who: 'tests', config: await settingsOf(current, options) });
        requireLoaded(runtime, current);
      },
      async run(point, payload, context = {}) {
        const caller = context.caller ?? options.caller;
        const whole = { ...options.context, ...context, ...(caller && { caller }) };
        const outcome = outcomeOf(
          await runtime.test({ point, hookName: name, payload, context: whole }),
        );
        const { detail } = outcome;
        return detail === undefined ? outcome : { ...outcome, detail: await mapFrames(detail) };
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Worker threads import the author's file itself, whose places need no map. */
function frameMapperOf({ root, handler, manifest }: HookPlace): (text: string) => Promise<string> {
  if (handler === undefined) return async (text) => text;
  const place = relative(root, handler).replaceAll(sep, '/');
  return createFrameMapper({ root, file: handler, place, contract: manifest.contract });
}

async function settingsOf(place: HookPlace, options: TestHostOptions): Promise<object> {
  const { root, kind, manifest, workFolder } = place;
  const { name } = manifest;
  const { config = {}, grants, sandbox, timeoutMs, memoryMb, failPolicy } = options;
  const override = {
    ...(sandbox !== undefined && { sandbox }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(memoryMb !== undefined && { memoryMb }),
    ...(failPolicy !== undefined && { failPolicy }),
  };
  const file = join(workFolder, 'test.db');
  const common = {
    // A busy machine may be slow to load a hook; what is under test is how it runs.
    limits: { loadMs: 20_000, queueMs: 20_000 },
    store: { file },
    records: { file },
  };
  const hooks = { config: { [name]: config }, overrides: { [name]: override } };
  if (kind === 'package') {
    const held = { grants: grants ?? manifest.capabilities, partial: grants !== undefined };
    return { ...common, packages: [{ package: root, use: [`hooks.${name}`], ...held }], hooks };
  }
  if (grants !== undefined) {
    const detail = 'a local hook is granted what it declares; grants are for packages';
    throw new SignalboxError('test_setup', { detail });
  }
  const found = await findLocalHooks(root);
  const others = found.flatMap((finding) =>
    finding.kind === 'candidate' && finding.candidate.name !== name ? [finding.candidate.name] : [],
  );
  return { ...common, hooks: { ...hooks, disabled: others } };
}

/** The world outside as the test gives it: what is not given is not there. */
function standIns(
  { secrets = {}, fetch, llm }: TestHostOptions,
  store: FakeStore,
  recorded: Pick<Ports, 'fetch' | 'llm'> = {},
): Ports {
  return {
    store: store.port,
    secrets: {
      read: async (name) => (Object.hasOwn(secrets, name) ? secrets[name] : undefined),
      scrub: (text) =>
        Object.values(secrets).reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text),
    },
    fetch: fetch === undefined ? recorded.fetch : async (request) => fetch(request),
    llm: llm === undefined ? recorded.llm : async (prompt) => llm(prompt),
    emit: () => undefined,
  };
}

function withWorld(source: HookSource, world: string): HookSource {
  if (world === '' || source.sandbox === 'isolate') return { ...source, code: world + source.code };
  const detail = 'seed and now need an isolate: open it with sandbox: "isolate"';
  throw new SignalboxError('test_setup', { detail });
}

function timeOf({ now }: TestHostOptions): number | undefined {
  if (now === undefined) return undefined;
  const time = new Date(now).getTime();
  if (Number.isFinite(time)) return time;
  throw new SignalboxError('test_setup', { detail: 'now is no time' });
}

/** A hook that did not load has nothing to test. */
function requireLoaded(runtime: LiveRuntime, { manifest: { name } }: HookPlace): void {
  const { hooks, absent } = runtime.inventory();
  const row = hooks.find(({ hook }) => hook === name);
  if (row?.failure !== undefined) {
    const { code, detail } = row.failure;
    throw new SignalboxError(code, { hook: name, detail });
  }
  if (row !== undefined) return;
  const reason = absent.find(({ hook }) => hook === name);
  const detail = reason?.detail ?? `"${name}" is ${reason?.reason ?? 'not found'}`;
  throw new SignalboxError('test_setup', { detail });
}
