import type { Approvals } from '../../src/approvals/approval.ts';
import type { LiveRuntime, Verdict } from '../../src/index.ts';
import {
  openTemporary,
  type TemporaryConfig,
  type TemporaryRuntime,
} from '../runtime/temporary-runtime.ts';

/** A runtime whose hooks ask, session by session. The maker removes `temporary`. */
export interface Office {
  readonly temporary: TemporaryRuntime;
  readonly runtime: LiveRuntime;
  readonly approvals: Approvals;
  /** Fires a tool call in a session. */
  ask(sessionId: string, payload?: object): Promise<Verdict<'preToolUse'>>;
}

type Config = TemporaryConfig & { readonly approvals: object; readonly access: object };

const CONFIG: Config = {
  approvals: { enabled: true },
  access: {
    rules: [
      { tool: 'wipe', tier: 'never' },
      { glob: 'deploy*', tier: 'confirm' },
      { glob: 'audit_*', tier: 'review' },
    ],
  },
};

/** What a hook that asks answers. */
export const ASK = `({ action: 'ask', reason: 'it costs money', prompt: 'Pay?' })`;

/** The call that is asked about. */
export const PAY = { toolName: 'pay', args: { amount: 90, to: 'x@y.z' }, toolCallId: 'c1' };

/** Opens the runtime. */
export async function openOffice(): Promise<Office> {
  const temporary = await openTemporary(
    {
      redact: {
        run: `payload.args.body === undefined ? { action: 'allow' } : ({ action: 'modify', payload: { args: { ...payload.args, body: 'SSN [REDACTED]' } } })`,
        manifest: { priority: -1, when: { sessions: ['c03', 'f03'] } },
      },
      asker: {
        run: `payload.toolName === 'plain' ? { action: 'allow' } : ${ASK}`,
        manifest: {
          when: {
            sessions: [
              'c03',
              'f01',
              'f03',
              'f06',
              'always',
              'other',
              'replay',
              'words',
              'forged',
              'restart',
              'late',
              'http',
              'listed',
              'never',
              'elsewhere',
            ],
          },
        },
      },
      patient: {
        run: `({ action: 'ask', reason: 'r', prompt: 'p'.repeat(300), timeoutMs: 1, default: payload.args.default })`,
        manifest: { when: { sessions: ['timeout'] } },
      },
      canned: {
        run: `({ action: 'result', result: 'canned' })`,
        manifest: { when: { sessions: ['released'] }, priority: -1 },
      },
      askAboutCanned: { run: ASK, manifest: { when: { sessions: ['released'] } } },
    },
    CONFIG,
  );
  const { runtime } = temporary;
  return {
    temporary,
    runtime,
    approvals: runtime.approvals,
    ask: (sessionId, payload = PAY) =>
      runtime.fire('preToolUse', payload as typeof PAY, { sessionId, turnId: 't' }),
  };
}

/** The id of what a call asks. */
export async function idOf(verdict: Promise<Verdict<'preToolUse'>>): Promise<string> {
  return (await verdict).approval?.id ?? '';
}
