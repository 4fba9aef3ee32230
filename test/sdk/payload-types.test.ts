import { expectTypeOf, test } from 'vitest';
import type { PayloadInput, Payloads, Point } from '../../sdk/points.ts';

type Source = 'chat' | 'automation' | 'webhook' | 'intent' | 'skill';

test('there is a payload type for every point', () => {
  expectTypeOf<keyof Payloads>().toEqualTypeOf<Point>();
});

test('[AM16] a hook at preInput always sees a source', () => {
  expectTypeOf<Payloads['preInput']['source']>().toEqualTypeOf<Source>();
  expectTypeOf<Payloads['preInput']['text']>().toEqualTypeOf<string>();
});

test('[AM17] a hook at preToolUse always sees the flags and the arguments', () => {
  expectTypeOf<Payloads['preToolUse']['args']>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<Payloads['preToolUse']['isDelegated']>().toEqualTypeOf<boolean>();
  expectTypeOf<Payloads['preToolUse']['planModeActive']>().toEqualTypeOf<boolean>();
  expectTypeOf<Payloads['preToolUse']['toolCallId']>().toEqualTypeOf<string | undefined>();
});

test('nested parts of a payload are typed', () => {
  expectTypeOf<Payloads['preModelCall']['messages'][number]['role']>().toEqualTypeOf<string>();
  expectTypeOf<Payloads['preModelCall']['toolChoice']>().toEqualTypeOf<
    'auto' | 'none' | 'required' | undefined
  >();
  expectTypeOf<Payloads['postTurn']['usage']>().toExtend<
    { inputTokens: number; outputTokens: number } | undefined
  >();
});

test('every payload has the fields of the host', () => {
  expectTypeOf<Payloads[Point]['timestamp']>().toEqualTypeOf<string | undefined>();
});

test('a caller may leave out what has a default', () => {
  expectTypeOf<{ toolName: string }>().toExtend<PayloadInput<'preToolUse'>>();
  expectTypeOf<{ text: string }>().toExtend<PayloadInput<'preInput'>>();
  expectTypeOf<{ text: string }>().toExtend<PayloadInput<'preOutput'>>();
});

test('a caller may not leave out what has no default', () => {
  // @ts-expect-error: toolName is missing
  const payload: PayloadInput<'preToolUse'> = { args: {} };
  expectTypeOf(payload).toEqualTypeOf<PayloadInput<'preToolUse'>>();
});

test('a field of another type is refused', () => {
  // @ts-expect-error: text is a string
  const payload: PayloadInput<'preInput'> = { text: 1 };
  expectTypeOf(payload).toEqualTypeOf<PayloadInput<'preInput'>>();
});
