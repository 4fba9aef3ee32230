import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from '../../runtime/temporary-runtime.ts';
import { hasSeed, seedModule } from './seed-examples.ts';
import { hookOf } from './threads.ts';

const context = (sessionId: string) => ({
  sessionId,
  turnId: 'flow-1',
  agent: { id: 'support_agent' },
  execution: { side: 'b' as const, step: 3 },
});

describe.skipIf(!hasSeed)(
  'examples of Standard Agents, character for character (needs ../shared)',
  () => {
    let opened: TemporaryRuntime;

    const ofSeed = (scene: string, point: string, prelude = '') =>
      hookOf(scene, point, prelude + seedModule(scene));

    beforeAll(async () => {
      opened = await openTemporary({
        limit_to_20_messages: ofSeed('limit_to_20_messages', 'preContext'),
        limit_to_50_messages: ofSeed('limit_to_50_messages', 'preContext'),
        limit_recent_messages: ofSeed('limit_recent_messages', 'preContext'),
        thread_aware_filter: ofSeed('thread_aware_filter', 'preContext'),
        add_concise_reminder: ofSeed('add_concise_reminder', 'preModelCall'),
        log_tool_calls: ofSeed('log_tool_calls', 'postToolUse'),
        log_tool_start: ofSeed('log_tool_start', 'toolCallStarted'),
        record_tool_completion: ofSeed('record_tool_completion', 'toolCallDone'),
        alert_payment_failures: ofSeed(
          'alert_payment_failures',
          'postToolFailure',
          'const sendAlert = async (alert) => console.log(JSON.stringify(alert));\n',
        ),
        add_execution_metadata: ofSeed('add_execution_metadata', 'preMessageCreate'),
        redact_credit_cards: ofSeed('redact_credit_cards', 'preStoreToolResult'),
      });
    }, 120_000);

    afterAll(() => opened.remove());

    const messages = Array.from({ length: 60 }, (_, index) => ({
      role: 'user',
      content: `${index}`,
    }));

    test.each([
      ['limit_to_20_messages', 20],
      ['limit_to_50_messages', 50],
      ['limit_recent_messages', 20],
    ])('[SA43b] %s keeps the most recent messages', async (name, count) => {
      const { payload } = await opened.runtime.fire('preContext', { messages }, context(name));
      expect(payload.messages).toEqual(messages.slice(-count));
    });

    test('[SA43b] [SA17] thread_aware_filter reads the thread, its execution and its agent', async () => {
      const report = await opened.runtime.test({
        point: 'preContext',
        hookName: 'thread_aware_filter',
        payload: { messages },
        context: context('thread_aware_filter'),
      });
      expect(report.hooks).toMatchObject([{ action: 'allow' }]);
      expect(report.logs.map(({ line }) => line)).toEqual([
        'Thread: thread_aware_filter',
        'Step: 3',
      ]);
    });

    test('[SA43b] add_concise_reminder appends to the last message of the user', async () => {
      const { payload } = await opened.runtime.fire(
        'preModelCall',
        { messages: [{ role: 'user', content: 'hello' }] },
        context('add_concise_reminder'),
      );
      expect(payload.messages).toEqual([
        { role: 'user', content: 'hello\n\n(Remember to be concise)' },
      ]);
    });

    test('[SA43b] [SA43] log_tool_calls logs the arguments as JSON text and keeps the result', async () => {
      const report = await opened.runtime.test({
        point: 'postToolUse',
        payload: { toolName: 'search', args: { q: 'x' }, result: { hits: 2 }, toolCallId: 'c1' },
        context: context('log_tool_calls'),
      });
      expect(report).toMatchObject({ action: 'allow', modified: false });
      expect(report.logs.map(({ line }) => line).join('\n')).toContain('search');
    });

    test('[SA43b] [SA36] log_tool_start shows the progress argument once it has streamed', async () => {
      const report = await opened.runtime.test({
        point: 'toolCallStarted',
        payload: { toolCallId: 'c1', toolName: 'edit', progress: 'index.html' },
        context: context('log_tool_start'),
      });
      expect(report.logs.map(({ line }) => line)).toEqual(['▸ edit: index.html']);
    });

    test('[SA43b] [SA41] record_tool_completion sees the status of every call', async () => {
      const report = await opened.runtime.test({
        point: 'toolCallDone',
        payload: { toolCallId: 'c1', toolName: 'edit', status: 'error', result: 'no' },
        context: context('record_tool_completion'),
      });
      expect(report.hooks).toMatchObject([{ action: 'allow' }]);
      expect(report.logs).toHaveLength(1);
    });

    test('[SA43b] alert_payment_failures alerts for payment_process alone', async () => {
      const run = (toolName: string) =>
        opened.runtime.test({
          point: 'postToolFailure',
          payload: { toolName, error: 'declined', toolCallId: 'c1' },
          context: context('alert_payment_failures'),
        });
      const alerted = await run('payment_process');
      expect(JSON.parse(alerted.logs[0]?.line ?? '')).toEqual({
        level: 'critical',
        message: 'Payment tool failed: declined',
        context: { threadId: 'alert_payment_failures' },
      });
      expect(alerted.modified).toBe(false);
      expect((await run('search')).logs).toEqual([]);
    });

    test('[SA43b] [SA18] add_execution_metadata stores flow, step and side with the message', async () => {
      const { payload } = await opened.runtime.fire(
        'preMessageCreate',
        { message: { role: 'user', content: 'hi' } },
        context('add_execution_metadata'),
      );
      expect(payload.message).toEqual({
        role: 'user',
        content: 'hi',
        metadata: JSON.stringify({ flow_id: 'flow-1', step: 3, side: 'b' }),
      });
    });

    test('[SA43b] [SA39] redact_credit_cards stores the result without the number', async () => {
      const { payload } = await opened.runtime.fire(
        'preStoreToolResult',
        {
          toolCallId: 'c1',
          toolName: 'lookup',
          result: { status: 'success', result: 'card 4111-1111-1111-1111' },
        },
        context('redact_credit_cards'),
      );
      expect(payload.result).toEqual({ status: 'success', result: 'card ****-****-****-****' });
    });
  },
);
