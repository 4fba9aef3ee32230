import { readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '../packages/candidate.ts';
import type { Origin } from '../packages/catalog.ts';
import { locate, readContained } from '../packages/install/contained-file.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { readYamlHook, type YamlHook } from './yaml-hook.ts';
import { readTimeout } from './yaml-manifest.ts';
import { readYaml } from './yaml-text.ts';

const LOCAL: Origin = { kind: 'local', name: 'local', version: '' };
const MAX_AGENT_BYTES = 64 * 1024;

/** Hooks of agent-os that stand in `config/`: those of its `hooks` folder, global, and those that its agents name. */
export async function findAgentOsHooks(folder: string): Promise<readonly Finding[]> {
  const root = await realpath(folder).catch(() => folder);
  const globals = await namesIn(join(root, 'config', 'hooks'));
  const agents = await namesIn(join(root, 'config', 'agents'));
  if (globals.length === 0 && agents.length === 0) return [];
  const read = (file: string, isGlobal: boolean): Promise<YamlHook> =>
    readYamlHook({ root, file, label: '', isGlobal, mayInline: true });
  const findings: Finding[] = [];
  for (const name of globals.filter(isYaml)) {
    findings.push(findingOf(root, await read(join(root, 'config', 'hooks', name), true)));
  }
  const attached = new Map<string, { agents: string[]; timeoutMs: number | undefined }>();
  for (const name of agents) {
    const agent = await readAgent(root, name);
    if (agent === undefined) continue;
    if ('error' in agent) {
      findings.push(absent(name, agent.error));
      continue;
    }
    for (const file of agent.hookFiles) {
      const known = attached.get(file);
      const timeouts = [known?.timeoutMs, agent.timeoutMs].filter((ms) => ms !== undefined);
      attached.set(file, {
        agents: [...(known?.agents ?? []), agent.name],
        timeoutMs: timeouts.length === 0 ? undefined : Math.min(...timeouts),
      });
    }
  }
  for (const [file, { agents: attachedTo, timeoutMs }] of attached) {
    const finding = findingOf(root, await read(file, false));
    if (finding.kind === 'absent') findings.push(finding);
    else {
      const { candidate } = finding;
      const { manifest } = candidate;
      const limited = timeoutMs === undefined ? manifest : { timeoutMs, ...manifest };
      findings.push({
        kind: 'candidate',
        candidate: { ...candidate, manifest: limited, attachedTo },
      });
    }
  }
  return findings;
}

/** The hook of one manifest, its script in the same folder or below. */
export async function findOneHook(file: string): Promise<Finding> {
  const root = dirname(file);
  return findingOf(root, await readYamlHook({ root, file, label: '', mayInline: true }));
}

/** The agents of `config/agents` whose files can be read. */
export async function readAgents(root: string): Promise<readonly { readonly budget?: unknown }[]> {
  const names = await namesIn(join(root, 'config', 'agents'));
  const agents = await Promise.all(names.map((name) => readAgent(root, name)));
  return agents.flatMap((agent) => (agent === undefined || 'error' in agent ? [] : [agent]));
}

/** An agent as its file has it, or why that cannot be read. */
type AgentFile =
  | {
      readonly name: string;
      readonly hookFiles: readonly string[];
      readonly timeoutMs?: number;
      readonly budget?: unknown;
    }
  | { readonly error: SignalboxError };

async function readAgent(root: string, name: string): Promise<AgentFile | undefined> {
  const folder = join(root, 'config', 'agents', name);
  const file = join(folder, 'agent.yaml');
  if ((await locate(root, file)) === 'missing') return undefined;
  const place = `config/agents/${name}/agent.yaml`;
  const fail = (detail: string): AgentFile => ({
    error: new SignalboxError('hook_skipped', {
      hook: '*',
      file: place,
      detail: `${place}: ${detail}`,
    }),
  });
  const text = await readContained(root, file, MAX_AGENT_BYTES);
  if (!text.ok) return fail(text.detail);
  const yaml = readYaml(text.text);
  if (!yaml.ok)
    return fail(`${yaml.line === undefined ? '' : `line ${yaml.line}: `}${yaml.detail}`);
  const {
    name: own,
    hook_files: files = [],
    timeouts,
    budget,
  } = (yaml.value ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(files) || !files.every((item) => typeof item === 'string')) {
    return fail('"hook_files" must be a list of files');
  }
  const timeoutMs = readTimeout(timeouts);
  if (typeof timeoutMs === 'string') return fail(timeoutMs);
  const hookFiles: string[] = [];
  for (const item of files as string[]) {
    const found = await firstOf(
      root,
      [folder, join(root, 'config'), root].map((from) => join(from, item)),
    );
    if (found === undefined)
      return fail(`"hook_files" names ${JSON.stringify(item.slice(0, 80))}, which is not there`);
    hookFiles.push(found);
  }
  return {
    name: typeof own === 'string' ? own : name,
    hookFiles,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(budget !== undefined && { budget }),
  };
}

async function firstOf(root: string, files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const place = await locate(root, file);
    if (typeof place === 'object') return place.path;
  }
  return undefined;
}

function findingOf(root: string, read: YamlHook): Finding {
  if (!read.ok) return absent(read.name, read.error);
  const { manifest, handler, handlerFile } = read.hook;
  return {
    kind: 'candidate',
    candidate: {
      name: manifest.name,
      manifest,
      origin: LOCAL,
      consent: { kind: 'installed' },
      code: { boundary: { root }, place: handler, file: handlerFile },
    },
  };
}

function absent(name: string, error: SignalboxError): Finding {
  return { kind: 'absent', absent: { name, origin: LOCAL, reason: 'skipped', error } };
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name) && !name.startsWith('.');
}

/** Names in code-unit order; none where there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).then(
    (names) => names.sort(),
    () => [],
  );
}
