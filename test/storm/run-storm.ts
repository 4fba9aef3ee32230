import { setTimeout as wait } from 'node:timers/promises';
import { openTemporary, type HookDraft } from '../runtime/temporary-runtime.ts';
import type { Verdict } from '../../src/verdict.ts';

/** How a storm is made. */
export interface StormOptions {
  readonly calls: number;
  /** The same seed kills in the same order; when, the machine decides. */
  readonly seed: number;
  readonly concurrency?: number;
  readonly packages?: number;
}

/** What a storm came to. */
export interface StormReport {
  readonly decided: number;
  /** What went against the rules, a line each. */
  readonly problems: readonly string[];
  /** Calls by what came of them: an action, or the code of a failure. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly stops: number;
  /** Records of failures by role. */
  readonly roles: Readonly<Record<string, number>>;
  /** Records that the database did not take in time, each told in the log. */
  readonly unkept: number;
  /** Processes at the most. */
  readonly peakProcesses: number;
}

const SESSIONS = 4;
/** Calls between two blows, on average: as many on a slow machine as on a fast one. */
const CALLS_A_BLOW = 12;
/** After a storm even a machine that others keep busy has had the time to start what was killed, in milliseconds. */
const ANSWERS_WITHIN_MS = 120_000;

/** What hooks do besides judging: nothing, read, write, wait. Each blocks what is dangerous. */
const KINDS: readonly string[] = [
  `(payload.args.isDangerous ? { action: 'block', reason: 'danger' } : { action: 'allow' })`,
  `(async () => { await ctx.store.get('rows', 'k'); return payload.args.isDangerous ? { action: 'block', reason: 'danger' } : { action: 'allow' }; })()`,
  `(async () => { await ctx.store.put('rows', 'call ' + payload.args.call, 1); return payload.args.isDangerous ? { action: 'block', reason: 'danger' } : { action: 'allow' }; })()`,
  `(async () => { await new Promise((go) => setTimeout(go, 5)); return payload.args.isDangerous ? { action: 'block', reason: 'danger' } : { action: 'allow' }; })()`,
  `(() => { let sum = 0; for (let at = 0; at < 2e5; at += 1) sum += at % 7; return payload.args.isDangerous && sum > 0 ? { action: 'block', reason: 'danger' } : { action: 'allow' }; })()`,
];

const CAPABILITIES = ['reads_tool_io', 'gates_tools', 'store:read', 'store:write'];

/**
 * Fires calls at packages, half of them closed and half open, while their processes are killed and stopped at random, and
 * holds every verdict against the rules. Afterwards every package must answer again.
 */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const { calls, seed, concurrency = 64, packages = 10 } = options;
  const names = Array.from({ length: packages }, (_, at) => `storm-${at}`);
  const drafts = names.map((name, at): [string, HookDraft] => [
    name,
    {
      home: name,
      run: KINDS[at % KINDS.length] ?? '',
      manifest: {
        capabilities: CAPABILITIES,
        failPolicy: policyOf(at),
        timeoutMs: 1500,
        when: { sessions: sessionsOf(at) },
      },
    },
  ]);
  const temporary = await openTemporary(Object.fromEntries(drafts), {
    limits: { queueMs: 5000, loadMs: 5000 },
  });
  const { runtime } = temporary;
  const random = generator(seed);
  const problems: string[] = [];
  const outcomes: Record<string, number> = {};
  let peakProcesses = 0;
  const blows = { kills: 0, stops: 0 };
  let decided = 0;
  let failures = 0;

  const strike = (): void => {
    const processes = runtime.processes();
    peakProcesses = Math.max(peakProcesses, processes.length);
    const victim = processes[Math.floor(random() * processes.length)];
    const isKill = random() < 0.7;
    if (victim !== undefined && send(victim.pid, isKill ? 'SIGKILL' : 'SIGSTOP')) {
      blows[isKill ? 'kills' : 'stops'] += 1;
    }
  };
  const fire = async (call: number): Promise<Verdict> => {
    const at = call % packages;
    const isDangerous = call % 3 === 0;
    return runtime.fire(
      'preToolUse',
      { toolName: 'tool', args: { call, isDangerous } },
      { sessionId: sessionsOf(at)[Math.floor(call / packages) % SESSIONS] ?? '' },
    );
  };
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let call = next; call < calls; call = next) {
      next += 1;
      if (random() < 1 / CALLS_A_BLOW) setTimeout(strike, random() * 5);
      try {
        const verdict = await fire(call);
        decided += 1;
        const { outcome, problem } = judge(verdict, call, call % packages);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        if (verdict.trace[0]?.code !== undefined) failures += 1;
        if (problem !== undefined) problems.push(`call ${call}: ${problem}`);
      } catch (error) {
        problems.push(`call ${call} was rejected: ${String(error)}`);
      }
    }
  };

  try {
    await Promise.all(Array.from({ length: concurrency }, lane));
    await wait(10);
    for (let at = 0; at < packages; at += 1) {
      const silence = await silenceOf(() => fire(at * packages + at));
      if (silence !== undefined) problems.push(`after the storm ${names[at]} gave ${silence}`);
    }
    const roles = await rolesOf(runtime);
    const kept = Object.values(roles).reduce((sum, count) => sum + count, 0);
    const unkept = temporary.logged().filter(({ event }) => event === 'database').length;
    // A machine that is this busy may make the database too slow, but never a record vanish without a word.
    if (kept + unkept < failures)
      problems.push(`${failures} failures, ${kept} records of failures, ${unkept} not kept`);
    return { decided, problems, outcomes, ...blows, roles, unkept, peakProcesses };
  } finally {
    await temporary.remove();
  }
}

function policyOf(at: number): 'closed' | 'open' {
  return at % 2 === 0 ? 'closed' : 'open';
}

function sessionsOf(at: number): string[] {
  return Array.from({ length: SESSIONS }, (_, session) => `storm-${at} ${session}`);
}

/** Holds one verdict against the rules of its hook's failPolicy. */
function judge(
  { action, reason, trace }: Verdict,
  call: number,
  at: number,
): { readonly outcome: string; readonly problem?: string } {
  const isDangerous = call % 3 === 0;
  const [entry] = trace;
  if (trace.length !== 1 || entry === undefined)
    return { outcome: 'none', problem: `${trace.length} decisions` };
  const { code } = entry;
  if (code === undefined) {
    const right = isDangerous ? 'block' : 'allow';
    const isRight = action === right && (!isDangerous || reason === 'danger');
    return isRight
      ? { outcome: right }
      : { outcome: action, problem: `${action} instead of ${right}` };
  }
  const outcome = code;
  if (policyOf(at) === 'open') {
    return action === 'allow' ? { outcome } : { outcome, problem: `${code} under open: ${action}` };
  }
  const isRight = action === 'block' && reason === `Hook "storm-${at}" failed (fail-closed)`;
  return isRight ? { outcome } : { outcome, problem: `${code} under closed: ${action} ${reason}` };
}

/**
 * A process that was stopped while idle spoils one call yet: that is found out by its cap. Gives what the last calls came
 * to where a package does not answer five times in a row before long.
 */
async function silenceOf(fire: () => Promise<Verdict>): Promise<string | undefined> {
  const codes: string[] = [];
  const until = performance.now() + ANSWERS_WITHIN_MS;
  do {
    const { trace } = await fire();
    codes.push(trace[0]?.code ?? 'answer');
    if (codes.slice(-5).join() === Array(5).fill('answer').join()) return undefined;
  } while (performance.now() < until);
  return codes.slice(-5).join(', ');
}

async function rolesOf(
  runtime: Awaited<ReturnType<typeof openTemporary>>['runtime'],
): Promise<Record<string, number>> {
  const roles: Record<string, number> = {};
  let before: string | undefined;
  do {
    const page = await runtime.records.query({ limit: 1000, before });
    for (const { code, role } of page.records) {
      if (code === undefined) continue;
      const name = `${code} ${role ?? 'alone'}`;
      roles[name] = (roles[name] ?? 0) + 1;
    }
    before = page.next;
  } while (before !== undefined);
  return roles;
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Mulberry32: small, and the same on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}
