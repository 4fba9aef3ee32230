import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { buildChildEntries, type ChildEntries } from '../../host/build.ts';
import type { GuestCaches } from '../../host/guest-caches.ts';
import { openHost } from '../../host/host.ts';
import { openNurseries } from '../../host/nurseries.ts';
import { WEB_MODULE } from '../../sdk/globals.ts';
import { callHook, HOST_LIMITS, isolateHook, outcomeOf, tempFolder } from './hosts.ts';

/** It has one of the web's names, as a bundle has it. */
const HOOK = isolateHook(
  'guard',
  `import { web } from '${WEB_MODULE}';
  const Url = web('URL');
  export default { run: () => ({ action: 'block', reason: new Url('https://a.test/b').pathname }) }`,
);

interface Ran {
  readonly said: string;
  readonly layers: readonly string[] | undefined;
}

/** Runs a hook in a host of its own; what it answers, and the layers around it. */
async function runWith(entries: ChildEntries): Promise<Ran> {
  const host = openHost({ limits: HOST_LIMITS, nurseries: openNurseries(entries, 0) });
  try {
    expect(await host.load(HOOK)).toMatchObject({ ok: true });
    const said = outcomeOf(await callHook(host, 'guard'));
    return { said, layers: host.processes()[0]?.layers };
  } finally {
    await host.close();
  }
}

/** Caches in a file whatever it holds, and what children made for want of them. */
function watched(file: string): { readonly kept: string[]; readonly caches: GuestCaches } {
  const kept: string[] = [];
  return { kept, caches: { file, keep: (text) => void kept.push(text), drop: () => false } };
}

async function openFolder(): Promise<() => Promise<ChildEntries>> {
  const folder = await tempFolder();
  // Children are other users.
  await chmod(folder, 0o755);
  return () => buildChildEntries(folder);
}

/** A file of caches that is whole. */
const fileOf = (caches: string): string =>
  `${createHash('sha256').update(caches).digest('hex')}\n${caches}`;

test('the first child makes the code caches of the guest scripts, and the next ones take them', async () => {
  const open = await openFolder();
  const first = await open();
  expect(first.caches.file).toBeUndefined();
  expect(await runWith(first)).toMatchObject({ said: '/b' });
  const { file = '' } = first.caches;
  const made = await readFile(file, 'latin1');
  const second = await open();
  expect(second.caches.file).toBe(file);
  const { kept, caches } = watched(file);
  expect(await runWith({ ...second, caches })).toMatchObject({ said: '/b' });
  expect(kept).toEqual([]);
  expect(await readFile(file, 'latin1')).toBe(made);
}, 60_000);

test('caches that are broken are not looked at, and those of another engine are made anew', async () => {
  const open = await openFolder();
  const first = await open();
  await runWith(first);
  const { file = '' } = first.caches;
  const made = await readFile(file, 'latin1');
  await writeFile(
    file,
    made.replace(/.$/, (last) => (last === '=' ? 'A' : '=')),
  );
  expect((await open()).caches.file).toBeUndefined();
  // Whole, and nothing that V8 would take.
  for (const caches of ['', 'AAAA', 'AAAA,AAAA,AAAA', '%,!,\0']) {
    await writeFile(file, fileOf(caches));
    const entries = await open();
    expect(await runWith(entries)).toMatchObject({ said: '/b' });
    const [, text = ''] = (await readFile(file, 'latin1')).split('\n');
    expect(text.length).toBeGreaterThan(10_000);
  }
}, 60_000);

test('caches that a child may not read, or that are gone, do not weaken its start', async () => {
  const open = await openFolder();
  const first = await open();
  const { layers } = await runWith(first);
  const { file = '' } = first.caches;
  expect(layers).toContain('permission');
  const { kept, caches } = watched(file);
  const entries = { ...first, caches };
  await rm(file);
  // Nobody can read a folder.
  await mkdir(file);
  expect((await runWith(entries)).layers).toEqual(layers);
  await rmdir(file);
  expect((await runWith(entries)).layers).toEqual(layers);
  expect(kept.map((text) => text.length > 10_000)).toEqual([true, true]);
}, 60_000);

test('caches that a child would die of cost its start no layer, whenever they were damaged', async () => {
  const open = await openFolder();
  const first = await open();
  const { layers } = await runWith(first);
  const { file = '' } = first.caches;
  const [, made = ''] = (await readFile(file, 'latin1')).split('\n');
  const damaged = made.slice(0, 2000) + 'QUJD'.repeat(100) + made.slice(2400);
  // Noticed: the hash is that of other caches.
  await writeFile(file, `${'0'.repeat(64)}\n${damaged}`);
  expect(await runWith(first)).toMatchObject({ layers });
  // Not noticed before a child has tried.
  await writeFile(file, fileOf(damaged));
  expect(await runWith(await open())).toMatchObject({ layers });
  const [, anew = ''] = (await readFile(file, 'latin1')).split('\n');
  expect(anew).not.toBe(damaged);
}, 60_000);
