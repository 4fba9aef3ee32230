import type { HookSource, SandboxKind } from '../../host/sandbox.ts';
import { STANDARD_AGENTS_HOOKS } from '../../sdk/contracts/standard-agents-hooks.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { LIMITS } from '../../sdk/limits.ts';
import type { FailPolicy, Manifest } from '../../sdk/manifest.ts';
import { POINTS } from '../../sdk/points.ts';
import type { HookOverride, RuntimeConfig } from '../config/runtime-config.ts';
import { loadBundle, type BundleCache } from './bundle/bundle-cache.ts';
import type { Candidate } from './candidate.ts';
import type { AbsentHook, HookEntry } from './catalog.ts';
import type { ConfigSchema } from './config-schema/config-schema.ts';
import { grantTo, type Grant } from './grants.ts';

/** What makes entries out of candidates in one start. */
export interface EntryMaker {
  readonly config: RuntimeConfig;
  /** Compiles a manifest's `configSchema`. */
  readonly compileSchema: (schema: object) => ConfigSchema;
  readonly bundles: BundleCache;
}

/** An entry without its place in the order of registration, or why the hook is not in the chain after all. */
export type MadeEntry =
  | { readonly ok: true; readonly entry: Omit<HookEntry, 'registration'> }
  | { readonly ok: false; readonly absent: AbsentHook };

type Failure = NonNullable<HookEntry['failure']>;

/**
 * Settles what a hook runs with: its config, grants, limits and code. What goes wrong here keeps the hook in its chain as a
 * failure; only a `configSchema` that is no schema takes it out.
 */
export async function makeEntry(candidate: Candidate, maker: EntryMaker): Promise<MadeEntry> {
  const { name, manifest, origin } = candidate;
  const { hooks } = maker.config;
  const override = hooks.overrides[name] ?? {};
  const settings = { ...manifest.config, ...hooks.config[name] };
  const schema = manifest.configSchema && maker.compileSchema(manifest.configSchema);
  if (schema?.ok === false) return { ok: false, absent: badSchema(candidate, schema.detail) };
  const grant = grantOf(candidate);
  const sandbox = override.sandbox ?? (origin.kind === 'local' ? 'worker' : 'isolate');
  const misfit = schema?.check(settings);
  const known =
    candidate.failure ?? grant.failure ?? (misfit === undefined ? undefined : loadError(misfit));
  const code = await codeOf(candidate, { sandbox, isFailing: known !== undefined, maker });
  const failure = known ?? code.failure;
  const failPolicy = policyOf(candidate, override, hooks.failPolicy[name]);
  const source: HookSource = {
    name,
    sandbox,
    owner: ownerOf(candidate, sandbox),
    contract: manifest.contract,
    config: settings,
    code: code.text,
    file: code.file,
    memoryMb: override.memoryMb ?? manifest.memoryMb ?? LIMITS.memoryMb,
    declared: {
      name: manifest.name,
      points: manifest.points,
      ...(manifest.ports !== undefined && { ports: manifest.ports }),
      ...(manifest.outputs !== undefined && { outputs: manifest.outputs }),
    },
  };
  return {
    ok: true,
    entry: {
      name,
      manifest,
      origin,
      source,
      granted: grant.granted,
      missing: grant.missing,
      isPartial: candidate.consent.kind === 'granted' && candidate.consent.isPartial,
      mode: hooks.mode[name] ?? 'enforce',
      ...(candidate.attachedTo === undefined ? {} : { attachedTo: candidate.attachedTo }),
      ...(failPolicy === undefined ? {} : { failPolicy }),
      priority: override.priority ?? manifest.priority,
      timeoutMs: override.timeoutMs ?? manifest.timeoutMs ?? LIMITS.timeoutMs,
      ...(failure === undefined ? {} : { failure }),
    },
  };
}

function badSchema({ name, origin, code, locked }: Candidate, detail: string): AbsentHook {
  const place = (code ?? locked)?.place.replace(/[^/]*$/, 'hook.json') ?? 'hook.json';
  const file = origin.kind === 'local' ? place : `${origin.name}/${place}`;
  const data = {
    hook: name,
    file,
    key: 'configSchema',
    detail: `${file}, key "configSchema": ${detail}`,
  };
  return { name, origin, reason: 'skipped', error: new SignalboxError('hook_skipped', data) };
}

function grantOf({ manifest, consent }: Candidate): Grant & { readonly failure?: Failure } {
  const { capabilities } = manifest;
  if (consent.kind === 'installed') return { granted: capabilities, missing: [] };
  const grant = grantTo(capabilities, consent.grants);
  if (grant.missing.length === 0 || consent.isPartial) return grant;
  return { ...grant, failure: { code: 'ungranted', detail: grant.missing.join(', ') } };
}

function loadError(detail: string): Failure {
  return { code: 'load_error', detail };
}

interface HostedCode {
  readonly text: string;
  readonly file: string;
  readonly failure?: Failure;
}

/**
 * What is locked runs from the text that was checked, wherever it runs. Else a worker imports the file, and an isolate is
 * given one text. A hook that fails anyway is not bundled.
 */
async function codeOf(
  { code, locked, manifest }: Candidate,
  { sandbox, isFailing, maker }: { sandbox: SandboxKind; isFailing: boolean; maker: EntryMaker },
): Promise<HostedCode> {
  if (locked !== undefined) return { text: locked.bundle, file: locked.place };
  if (code === undefined) return { text: '', file: '' };
  const { boundary, place, file } = code;
  if (sandbox === 'worker') return { text: '', file };
  if (isFailing) return { text: '', file: place };
  const request = { ...boundary, file, place, contract: manifest.contract };
  const bundle = await loadBundle(maker.bundles, request);
  if (bundle.ok) return { text: bundle.code, file: place };
  return { text: '', file: place, failure: loadError(bundle.detail) };
}

function ownerOf({ name, origin }: Candidate, sandbox: SandboxKind): string {
  if (origin.kind === 'package') return `${origin.name}@${origin.version}`;
  return sandbox === 'worker' ? 'local' : `local:${name}`;
}

/** What the systems themselves do when a hook fails. */
const LOCAL_POLICIES: Readonly<Partial<Record<Manifest['contract'], FailPolicy>>> = {
  amplifier: 'open',
  'agent-os': 'open',
  harness: 'abort',
};

/** Standard Agents says it by hook type, of which a hook has one: other failures prevent what they guard. */
function contractPolicy({ contract, points }: Manifest): FailPolicy | undefined {
  if (contract !== 'standard-agents') return LOCAL_POLICIES[contract];
  const types = points.flatMap((point) => POINTS[point].names.standardAgents ?? []);
  return types.every((type) => STANDARD_AGENTS_HOOKS[type]?.failPolicy === 'open')
    ? 'open'
    : undefined;
}

/** The operator's policy, else that of the contract, which holds for local hooks that name none. */
function policyOf(
  { manifest, origin }: Candidate,
  override: HookOverride,
  byHook: FailPolicy | undefined,
): FailPolicy | undefined {
  const isSettled = origin.kind !== 'local' || manifest.failPolicy !== undefined;
  const contractual = isSettled ? undefined : contractPolicy(manifest);
  return override.failPolicy ?? byHook ?? contractual;
}
