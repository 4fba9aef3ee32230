import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadiness } from '../../src/readiness.ts';
import { openDatabase, type Database } from '../../src/sql/database.ts';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

let temporary: TemporaryRuntime;
beforeAll(async () => {
  temporary = await openTemporary(
    { needed: { run: '({ action: "allow" })', manifest: { capabilities: ['gates_tools'] } } },
    { hooks: { required: ['needed'] } },
  );
}, 120_000);
afterAll(() => temporary?.remove());

test('a runtime is ready while required hooks are live, and says what is not', async () => {
  const { runtime } = temporary;
  expect(await runtime.readiness()).toEqual({ ready: true, reasons: [] });
  const revoked = { target: 'needed', capabilities: ['gates_tools'], by: 'ann' };
  await runtime.grants.revoke(revoked);
  expect(await runtime.readiness()).toEqual({
    ready: false,
    reasons: ['a required hook is not live'],
  });
  await runtime.grants.restore(revoked);
  expect(await runtime.readiness()).toMatchObject({ ready: true });
});

test('it is not ready while nothing can be recorded, or once it closes', async () => {
  const { runtime } = temporary;
  const database: Database = await openDatabase(':memory:');
  const edition = (): never => ({ ...runtime, catalog: { hooks: [] } }) as never;
  const states = { isClosing: false };
  const readiness = createReadiness({ isClosing: () => states.isClosing, database, edition });
  await database.close();
  expect((await readiness()).reasons).toContain('the database takes no writes');
  states.isClosing = true;
  expect(await readiness()).toEqual({ ready: false, reasons: ['the runtime is closing'] });
});
