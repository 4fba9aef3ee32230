import { expect, test } from 'vitest';
import { createPayloadTexts } from '../../src/fire/payload-text.ts';

const FRAME = {
  point: 'preToolUse',
  timestamp: '2026-01-02T03:04:05.006Z',
  requestId: undefined,
  maxBytes: null,
} as const;
const CALL = { toolName: 'x', args: { secret: 1 }, toolCallId: 'c1' };

function textOf(
  payload: Record<string, unknown>,
  rest: Partial<Parameters<typeof createPayloadTexts>[0]> = {},
  isReader = true,
): unknown {
  const written = createPayloadTexts({ ...FRAME, ...rest })(payload, isReader);
  return written.ok ? JSON.parse(written.text) : written;
}

test('a hook gets the host’s timestamp and request id first', () => {
  const written = createPayloadTexts({ ...FRAME, requestId: 'r\\1' })(CALL, true);
  expect(written).toEqual({
    ok: true,
    text: String.raw`{"timestamp":"2026-01-02T03:04:05.006Z","requestId":"r\\1","toolName":"x","args":{"secret":1},"toolCallId":"c1"}`,
  });
  expect(textOf({})).toEqual({ timestamp: FRAME.timestamp });
});

test('without the capability the content fields are absent, ids and names stay', () => {
  expect(textOf(CALL, {}, false)).toEqual({
    timestamp: FRAME.timestamp,
    toolName: 'x',
    toolCallId: 'c1',
  });
});

test('a payload is written once, and again when another takes its place', () => {
  let written = 0;
  const counted = { toolName: 'x', args: { toJSON: () => (written += 1) } };
  const texts = createPayloadTexts(FRAME);
  texts(counted, true);
  texts(counted, true);
  expect(written).toBe(1);
  expect(JSON.parse((texts({ toolName: 'y' }, true) as { text: string }).text)).toMatchObject({
    toolName: 'y',
  });
  expect(JSON.parse((texts(counted, false) as { text: string }).text)).toEqual({
    timestamp: FRAME.timestamp,
    toolName: 'x',
  });
});

test('a payload over the limit fails, counted in bytes', () => {
  const over = { ok: false, code: 'payload_size', detail: 'more than 40 bytes' };
  expect(textOf({ toolName: 'x'.repeat(40) }, { maxBytes: 40 })).toEqual(over);
  expect(textOf({ toolName: '€'.repeat(10) }, { maxBytes: 40 })).toEqual(over);
  expect(textOf({ toolName: 'x'.repeat(20) }, { maxBytes: 40 })).toMatchObject({
    toolName: 'x'.repeat(20),
  });
  expect(textOf({ toolName: 'x'.repeat(40) }, { maxBytes: null })).toMatchObject({
    toolName: 'x'.repeat(40),
  });
  expect(textOf({ args: 'x'.repeat(99) }, { maxBytes: 40 }, false)).toEqual(over);
});

const circle: Record<string, unknown> = {};
circle['self'] = circle;
const deep: unknown = JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`);
const bottomless = { toJSON: (): unknown => ({ again: bottomless }) };

test.each([
  ['a circle', { args: circle }],
  ['a BigInt', { args: { n: 1n } }],
  [
    'a toJSON that throws',
    {
      args: {
        toJSON: () => {
          throw new Error('SECRET');
        },
      },
    },
  ],
  ['a toJSON without an object', { toolName: 'x', toJSON: () => undefined }],
  ['a toJSON of a list', { toolName: 'x', toJSON: () => [] }],
  ['a toJSON without end', { args: bottomless }],
  ['a nesting too deep', { args: deep }],
])('%s has no JSON form that a hook gets', (_, payload) => {
  const written = textOf(payload);
  expect(written).toMatchObject({ ok: false, code: 'unserialisable' });
  expect(JSON.stringify(written)).not.toContain('SECRET');
});

test('a nesting of 200 passes', () => {
  const nested: unknown = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
  expect(textOf({ args: nested })).toMatchObject({ args: nested });
});
