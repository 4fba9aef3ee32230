import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { checkPackage } from '../../src/publish/check-package.ts';
import { checkConformance, openTestHost, testFixtures } from '../../src/testing/index.ts';

vi.setConfig({ testTimeout: 300_000 });

const PACKAGES = join(import.meta.dirname, '../../examples/packages');
const NAMES = readdirSync(PACKAGES).sort();

describe.each(NAMES)('%s', (name) => {
  const root = join(PACKAGES, name);
  const hook = join(root, 'hooks', name);

  // A busy machine is no reason to fail here.
  testFixtures(test, { hook, timeoutMs: 30_000 });

  test('conforms', async () => {
    const host = await openTestHost({ hook, timeoutMs: 30_000 });
    try {
      expect(await checkConformance(host)).toEqual([]);
    } finally {
      await host.close();
    }
  });

  test('is fit to publish, declares what it uses and nothing else', async () => {
    const listed = ['hook.json', 'index.ts'].map((file) => ({
      path: `hooks/${name}/${file}`,
      size: 1,
    }));
    const findings = await checkPackage(root, async () => listed);
    expect(findings.filter(({ place }) => !place.includes('fixtures'))).toEqual([]);
  });

  test('is short, and says what it cannot do', () => {
    const lines = readFileSync(join(hook, 'index.ts'), 'utf8').split('\n').length;
    expect(lines).toBeLessThan(150);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toMatch(/## Limits\n\n\S/);
  });
});

test('spend-limit counts what a session has spent, and only what went through', async () => {
  const hook = join(PACKAGES, 'spend-limit/hooks/spend-limit');
  const host = await openTestHost({ hook, timeoutMs: 30_000, config: { sessionMax: 150 } });
  const pay = (amount: number, sessionId: string) =>
    host.run('preToolUse', { toolName: 'pay', args: { amount } }, { sessionId });
  const paid = (amount: number, isError: boolean) =>
    host.run('postToolUse', { toolName: 'pay', args: { amount }, isError }, { sessionId: 'a' });
  try {
    await paid(90, false);
    await paid(90, true);
    expect(host.store.rows('spend')).toEqual({ a: { total: 90 } });
    expect((await pay(60, 'a')).action).toBe('allow');
    expect((await pay(61, 'a')).reason).toBe('A session may spend 150 at most');
    expect((await pay(61, 'b')).action).toBe('allow');
  } finally {
    await host.close();
  }
});

test('faq-cache answers from the store too', async () => {
  const hook = join(PACKAGES, 'faq-cache/hooks/faq-cache');
  const store = { faq: { 'where-is-my-order': { answer: 'Look under Orders.' } } };
  const host = await openTestHost({ hook, timeoutMs: 30_000, store });
  try {
    const { decision } = await host.run('preInput', { text: 'Where is my ORDER?!' });
    expect(decision).toMatchObject({ action: 'result', result: 'Look under Orders.' });
  } finally {
    await host.close();
  }
});

test('audit-trail keeps sizes and nothing of what was said', async () => {
  const hook = join(PACKAGES, 'audit-trail/hooks/audit-trail');
  const host = await openTestHost({ hook, timeoutMs: 30_000, now: '2026-01-01T00:00:00Z' });
  try {
    await host.run('postTurn', { turn: 2, input: 'secret', output: 'hi' }, { sessionId: 's' });
    expect(host.store.rows('audit')).toEqual({
      's:turn:2': {
        kind: 'turn',
        turn: 2,
        user: null,
        agent: 'main',
        at: '2026-01-01T00:00:00.000Z',
        inputChars: 6,
        outputChars: 2,
        tokens: 0,
      },
    });
  } finally {
    await host.close();
  }
});

test('[D01] [D02] [D04] [D05] [D07] [D08] pii-redactor sees through disguises, at any depth, and says nothing of what it found', async () => {
  const hook = join(PACKAGES, 'pii-redactor/hooks/pii-redactor');
  const host = await openTestHost({ hook, timeoutMs: 30_000 });
  try {
    for (const text of [
      'alice@\u200bexample.com',
      'bob\uff20test.org',
      '\u0430lice@example.com',
      'ali\u00adce@example.com',
    ]) {
      expect((await host.run('preInput', { text })).payload['text']).toBe('[EMAIL]');
    }
    for (const text of [
      '\uff14' + '\uff11'.repeat(15),
      '4111.1111.1111.1111',
      '3782-822463-10005',
    ]) {
      expect((await host.run('preInput', { text })).payload['text']).toBe('[CARD]');
    }
    const image = { type: 'image_url', image_url: { url: 'https://x/y.png' } };
    const content = [{ type: 'text', text: 'mail a@b.com' }, image];
    const seen = await host.run('preToolUse', {
      toolName: 'save',
      args: { messages: [{ role: 'user', content }], 'c@d.com': [{ ssn: '123-45-6789' }], n: 42 },
    });
    expect(seen.payload['args']).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'mail [EMAIL]' }, image] }],
      '[EMAIL]': [{ ssn: '[ID]' }],
      n: 42,
    });
    expect(seen.logs).toEqual(['redacted 2 email, 1 id']);
  } finally {
    await host.close();
  }
});
