import { expect, test } from 'vitest';
import { POINT_NAMES } from '../../sdk/points.ts';
import { createPayloadChecks } from '../../src/fire/payloads.ts';
import { samplePayload } from '../chain/hooks.ts';

const checks = createPayloadChecks();

test.each(POINT_NAMES)(
  '%s takes a payload of its required fields, and refuses one that lacks any',
  (point) => {
    const whole = samplePayload(point);
    expect(checks.admit(point, whole).payload).toMatchObject(whole);
    for (const key of Object.keys(whole)) {
      const { [key]: removed, ...rest } = whole;
      const isDefaulted =
        Object.hasOwn(checks.admit(point, whole).payload, key) && hasDefault(point, rest);
      if (isDefaulted) continue;
      expect(() => checks.admit(point, rest), `${point}.${key} ${typeof removed}`).toThrow(
        expect.objectContaining({ code: 'payload_invalid' }) as Error,
      );
    }
  },
);

function hasDefault(point: Parameters<typeof checks.admit>[0], payload: object): boolean {
  try {
    checks.admit(point, payload);
    return true;
  } catch {
    return false;
  }
}

test('[AM16] defaults of the point are filled in, and the caller keeps its object as it was', () => {
  const input = Object.freeze({ text: 'hi' });
  expect(checks.admit('preInput', input).payload).toEqual({ text: 'hi', source: 'chat' });
  expect(checks.admit('preOutput', input).payload).toEqual({ text: 'hi', channels: ['chat'] });
  expect(input).toEqual({ text: 'hi' });
});

test('a default is fresh each time: what one call does to it, no other sees', () => {
  const first = checks.admit('preToolUse', { toolName: 'x' }).payload['args'] as Record<
    string,
    unknown
  >;
  first['left'] = 'behind';
  expect(checks.admit('preToolUse', { toolName: 'x' }).payload['args']).toEqual({});
});

test('a prototype cannot stand in for a field', () => {
  const inherited = Object.create({ text: 'hi', source: 'chat' }) as object;
  expect(() => checks.admit('preInput', inherited)).toThrow(
    expect.objectContaining({ code: 'payload_invalid' }) as Error,
  );
  const message = Object.create({ role: 'user' }) as object;
  expect(() => checks.admit('preContext', { messages: [message] })).toThrow(
    expect.objectContaining({ code: 'payload_invalid' }) as Error,
  );
});

test.each([undefined, null, 'text', 5, [], () => ({ text: 'hi' })])(
  '%o is no payload',
  (payload) => {
    expect(() => checks.admit('preInput', payload)).toThrow(
      expect.objectContaining({ code: 'payload_invalid' }) as Error,
    );
  },
);

test('an error names the place and not the value', () => {
  try {
    checks.admit('preInput', { text: { secret: 'SECRET' } });
    expect.unreachable();
  } catch (error) {
    expect(String(error)).toContain('/text must be string');
    expect(JSON.stringify(error)).not.toContain('SECRET');
  }
});

test("a caller's timestamp is left out, its request id handed on", () => {
  const admitted = checks.admit('preInput', {
    text: 'hi',
    timestamp: 'yesterday',
    requestId: 'r1',
  });
  expect(admitted).toEqual({ payload: { text: 'hi', source: 'chat' }, requestId: 'r1' });
});

test('fields that the row does not know are kept', () => {
  expect(checks.admit('preInput', { text: 'hi', extra: 1 }).payload).toMatchObject({ extra: 1 });
});
