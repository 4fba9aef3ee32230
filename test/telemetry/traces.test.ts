import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuntime } from '../../src/index.ts';
import { openServer } from '../../src/server/server.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

const MARK = 'card-4929-0000-1111-2222';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { stringValue?: string };
  }[];
  readonly status: { readonly code: number };
}

let receiver: Server;
let temporary: TemporaryRuntime;
const bodies: string[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(JSON.stringify(body));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  temporary = await openTemporary(
    {
      first: { run: '({ action: "allow" })' },
      guard: { run: '({ action: "block", reason: payload.args.text })', manifest: { priority: 1 } },
      never: { run: '({ action: "allow" })', manifest: { priority: 2 } },
      trial: { run: '({ action: "block", reason: "x" })' },
      broken: {
        run: '{ throw new Error(payload.text); }',
        manifest: { points: ['preOutput'] },
      },
    },
    {
      hooks: { mode: { trial: 'shadow' } },
      telemetry: { endpoint: `http://127.0.0.1:${port}` },
    },
  );
}, 120_000);
afterAll(async () => {
  await temporary?.remove();
  receiver?.close();
});

function sentSpans(): readonly SentSpan[] {
  return bodies.flatMap((body) => {
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  });
}

async function sent(name: string, traceId?: string): Promise<SentSpan> {
  const find = () =>
    sentSpans().find((span) => span.name === name && (traceId ?? span.traceId) === span.traceId);
  await expect.poll(find, { timeout: 30_000 }).toBeDefined();
  return find() as SentSpan;
}

const fieldsOf = ({ attributes }: SentSpan): Record<string, string | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

test('a fire is a span under that of its caller, and each hook that ran is one under it', async () => {
  const { runtime } = temporary;
  const verdict = await runtime.fire(
    'preToolUse',
    { toolName: 'shell', toolCallId: 'call-1', args: { text: MARK } },
    {
      sessionId: 's1',
      turnId: 't1',
      agent: { id: 'main' },
      traceparent: `00-${TRACE}-${SPAN}-01`,
    },
  );
  const fire = await sent('fire preToolUse', TRACE);
  expect(fire).toMatchObject({ parentSpanId: SPAN });
  expect(fieldsOf(fire)).toMatchObject({
    'gen_ai.conversation.id': 's1',
    'gen_ai.agent.id': 'main',
    'gen_ai.tool.name': 'shell',
    'gen_ai.tool.call.id': 'call-1',
    'signalbox.action': 'block',
    'signalbox.hook': 'guard',
    'signalbox.fire.id': verdict.id,
    'signalbox.not_run': 'never',
  });
  const hooks = await Promise.all(['hook first', 'hook guard'].map((name) => sent(name, TRACE)));
  for (const hook of hooks) {
    expect(hook.parentSpanId).toBe(fire.spanId);
    expect(BigInt(hook.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(fire.startTimeUnixNano));
    expect(BigInt(hook.endTimeUnixNano)).toBeGreaterThan(BigInt(hook.startTimeUnixNano));
  }
  expect(fieldsOf(hooks[1] as SentSpan)).toMatchObject({ 'signalbox.package.name': 'plain' });
  const trial = await sent('hook trial', TRACE);
  expect(trial.parentSpanId).toBe(fire.spanId);
  expect(sentSpans().some(({ name }) => name === 'hook never')).toBe(false);
});

test('a hook that failed is an error by its code', async () => {
  await temporary.runtime.fire('preOutput', { text: MARK }, { sessionId: 's2' });
  const hook = await sent('hook broken');
  expect(hook.status.code).toBe(2);
  expect(fieldsOf(hook)).toMatchObject({ 'error.type': 'thrown' });
});

test('over HTTP the caller says in the traceparent header where it is', async () => {
  const traceId = TRACE.replaceAll('4', '5');
  const { url, close } = await openServer(temporary.runtime, {
    host: '127.0.0.1',
    port: 0,
    payloadBytes: null,
    version: '0.0.0',
  });
  try {
    await fetch(`${url}/v1/points/preToolUse`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-${SPAN}-01` },
      body: JSON.stringify({ payload: { toolName: MARK.repeat(9), args: { text: MARK } } }),
    });
    expect(await sent('fire preToolUse', traceId)).toMatchObject({ parentSpanId: SPAN });
  } finally {
    await close();
  }
});

test('what the caller did not sample is not sent, and nonsense is no parent', async () => {
  const { runtime } = temporary;
  const payload = { toolName: 't', args: { text: 'x' } };
  const unsampled = `00-${'a'.repeat(32)}-${SPAN}-00`;
  await runtime.fire('preToolUse', payload, { sessionId: 'u', traceparent: unsampled });
  await runtime.fire('preToolUse', payload, { sessionId: 'n', traceparent: `00-${MARK}` });
  await expect
    .poll(() => sentSpans().find((span) => fieldsOf(span)['gen_ai.conversation.id'] === 'n'), {
      timeout: 30_000,
    })
    .toMatchObject({ name: 'fire preToolUse' });
  expect(sentSpans().some(({ traceId }) => traceId === 'a'.repeat(32))).toBe(false);
});

test('nothing of what calls carried is sent', () => {
  expect(bodies.join('')).not.toContain(MARK);
});

test(
  'a program with a provider of its own has the spans there, under its active span',
  { timeout: 120_000 },
  async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager());
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new TracerProvider({
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    const { packages, limits } = temporary.runtime.config;
    const runtime = await openRuntime({
      config: { packages, limits },
      folder: temporary.folder,
      log: { level: 'silent' },
      tracerProvider,
    });
    try {
      const outer = tracerProvider.getTracer('program').startSpan('its own');
      await context.with(trace.setSpan(ROOT_CONTEXT, outer), () =>
        runtime.fire('preToolUse', { toolName: 't', args: { text: 'x' } }),
      );
      outer.end();
      const fire = exporter.getFinishedSpans().find(({ name }) => name === 'fire preToolUse');
      expect(fire?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
      expect(fire?.spanContext().traceId).toBe(outer.spanContext().traceId);
    } finally {
      await runtime.close();
      context.disable();
    }
  },
);

test(
  'a receiver that is gone is told of once, and stops nothing',
  { timeout: 120_000 },
  async () => {
    const lone = await openTemporary(
      { first: { run: '({ action: "allow" })' } },
      { telemetry: { endpoint: 'http://127.0.0.1:1' } },
    );
    try {
      const verdict = await lone.runtime.fire('preToolUse', { toolName: 't' });
      expect(verdict).toMatchObject({ action: 'allow' });
      const lost = () => lone.logged().filter(({ event }) => event === 'traces_lost').length;
      await expect.poll(lost, { timeout: 60_000 }).toBe(1);
    } finally {
      await lone.remove();
    }
  },
);
