import { expect } from 'vitest';
import type { FailureCode } from '../../sdk/errors.ts';
import { matchers, type Wording } from './matchers.ts';

/** signalbox/testing/vitest: importing it adds the matchers to vitest's `expect`. */
expect.extend(matchers);

declare module 'vitest' {
  // Merged into vitest's own interface, whose parameters it must repeat.
  // eslint-disable-next-line no-unused-vars
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    toAllow(): R;
    toBlock(reason?: Wording): R;
    toAsk(reason?: Wording): R;
    toRework(feedback?: Wording): R;
    toModify(fields?: Readonly<Record<string, unknown>>): R;
    toAnswer(result: unknown): R;
    toFail(code?: FailureCode): R;
  }
}
