import type { ChildEntries } from '../../host/build.ts';
import { openHost } from '../../host/host.ts';
import { openNurseries } from '../../host/nurseries.ts';
import type { CallResult, Host, HookSource } from '../../host/sandbox.ts';
import type { Finding } from './finding.ts';

/** What the sandboxes of this machine showed. */
export interface SelfTest {
  readonly findings: readonly Finding[];
  /** Layers of a process that was really started; none if none came up. */
  readonly layers: readonly string[];
}

interface Hazard {
  readonly name: string;
  /** The body of `run(point, payload, ctx)`. */
  readonly body: string;
  /** Failure codes that are right; none, if it must answer. */
  readonly codes: readonly string[];
}

const CAP_MS = 400;
/** A decision that is later than its cap by more than this is no cap. */
const OVER_MS = 250;
/** A machine that starts no process within this time runs no hooks. */
const LOAD_MS = 5000;

const HAZARDS: readonly Hazard[] = [
  { name: 'a hook that answers', body: `return { action: 'allow' };`, codes: [] },
  { name: 'an endless loop', body: `for (;;);`, codes: ['timeout'] },
  {
    name: 'a native call without end',
    body: `[].indexOf.call({ length: 2 ** 53 - 1 }, 1); return { action: 'allow' };`,
    codes: ['timeout'],
  },
  {
    name: 'memory without end',
    body: `const m = new Map(); for (let i = 0; ; i++) m.set(i, i);`,
    codes: ['memory', 'crash', 'timeout'],
  },
  {
    name: 'an escape by constructors',
    body: `
      for (const root of [globalThis, payload, ctx, ctx.log]) {
        for (let o = root; o != null; o = Object.getPrototypeOf(o)) {
          const type = o.constructor?.constructor?.('return typeof process + typeof require')();
          if (type !== undefined && type !== 'undefinedundefined') return { action: 'block', reason: 'out' };
        }
      }
      return { action: 'allow' };`,
    codes: [],
  },
  {
    name: 'a look at the environment',
    body: `
      const found = [typeof process, typeof Deno, typeof Bun, typeof require].some((t) => t !== 'undefined');
      return found ? { action: 'block', reason: 'out' } : { action: 'allow' };`,
    codes: [],
  },
];

/** Provokes the hazards in real sandboxes, one after the other, with a well-behaved hook called after each. */
export async function selfTest(
  entries: ChildEntries,
  onProgress: (text: string) => void,
): Promise<SelfTest> {
  const host = openHost({
    nurseries: openNurseries(entries),
    limits: {
      loadMs: LOAD_MS,
      graceMs: 50,
      queueMs: LOAD_MS,
      queueLength: 100,
      rssMb: null,
      idleMs: null,
      maxIsolates: 4,
    },
  });
  try {
    const findings: Finding[] = [];
    let layers: readonly string[] = [];
    for (const hazard of HAZARDS) {
      onProgress(`Trying ${hazard.name}`);
      findings.push(await provoke(host, hazard));
      layers = host.processes()[0]?.layers ?? layers;
    }
    return { findings, layers };
  } finally {
    await host.close();
  }
}

async function provoke(host: Host, { name, body, codes }: Hazard): Promise<Finding> {
  const weak = (detail: string): Finding => ({
    about: 'hazard',
    name,
    state: 'weak',
    detail,
    advice: 'Do not run hooks of others on this machine before this is understood',
  });
  const loaded = await host.load(sourceOf(name, body));
  if (!loaded.ok) return weak(`no sandbox came up: ${loaded.code}`);
  const startedAt = performance.now();
  const result = await call(host, name, CAP_MS);
  const ms = Math.round(performance.now() - startedAt);
  const code = result.ok ? answerOf(result) : result.code;
  const isRight = codes.length === 0 ? code === 'allow' : codes.includes(code);
  if (!isRight) return weak(`gave ${code}`);
  if (ms > CAP_MS + OVER_MS) return weak(`was decided after ${ms} ms of ${CAP_MS}`);
  return { about: 'hazard', name, state: 'fine', detail: `${code} after ${ms} ms` };
}

function sourceOf(name: string, body: string): HookSource {
  return {
    name,
    sandbox: 'isolate',
    owner: `${name}@doctor`,
    contract: 'signalbox',
    config: {},
    code: `export default { run(point, payload, ctx) { ${body} } };`,
    file: 'index.mjs',
    memoryMb: 32,
  };
}

function call(host: Host, hook: string, timeoutMs: number): Promise<CallResult> {
  return host.call({
    hook,
    sessionId: 'doctor',
    input: JSON.stringify({ point: 'preToolUse', payload: {}, ctx: { caller: {} } }),
    timeoutMs,
    ops: [],
    bridge: () => Promise.resolve({ ok: false, code: 'unavailable', message: '' }),
  });
}

/** The action alone: the hooks are our own. */
function answerOf({ answer }: CallResult & { readonly ok: true }): string {
  return (JSON.parse(answer) as { action: string }).action;
}
