import { expectTypeOf, test } from 'vitest';
import type { openRuntime, Runtime, Verdict } from '../../src/index.ts';

type Opened = Awaited<ReturnType<typeof openRuntime>>;

test('fire is typed by its point', () => {
  expectTypeOf<Opened>().toExtend<Runtime>();
  expectTypeOf<Verdict<'preToolUse'>['payload']['args']>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<Verdict<'preInput'>['payload']['text']>().toEqualTypeOf<string>();
  const use = (runtime: Opened): void => {
    expectTypeOf(runtime.fire('preInput', { text: 'hi' })).toEqualTypeOf<
      Promise<Verdict<'preInput'>>
    >();
    // @ts-expect-error a payload lacks its text
    void runtime.fire('preInput', { source: 'chat' });
    // @ts-expect-error there is no such point
    void runtime.fire('preEverything', {});
  };
  expectTypeOf(use).toBeFunction();
});
