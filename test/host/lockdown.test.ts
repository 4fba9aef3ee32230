import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Layer } from '../../host/launch.ts';
import { activeLayers, attempt, breakIn } from './locked-child.ts';
import { tempFolder } from './hosts.ts';
import { testEntries } from './child-entries.ts';

// Each test takes the layers above the one in question to have fallen: first the isolate, then the lock on modules, then
// Node's permission model.

const layers = process.platform === 'linux' ? await activeLayers() : [];
const isElsewhere = process.platform !== 'linux';
/** A platform or account that lacks the layer skips the test, and doctor says what that means. */
const lacks = (layer: Layer): boolean => !layers.includes(layer);

const LOCKED = 'refused: No module is loaded after the start';

test.each([
  'fs',
  'fs/promises',
  'net',
  'dgram',
  'dns',
  'tls',
  'http',
  'http2',
  'child_process',
  'worker_threads',
  'cluster',
  'module',
  'process',
  'os',
  'v8',
  'vm',
  'inspector',
  'repl',
  'wasi',
  'trace_events',
  'async_hooks',
  'diagnostics_channel',
  'test',
  'sea',
])('[isolate fallen] node:%s cannot be imported', async (name) => {
  expect(await attempt(`return typeof await import('node:${name}')`)).toBe(LOCKED);
});

test.each([
  ['a file', `import('file:///etc/hostname')`],
  ['the entry itself', `import('file://' + process.argv[1])`],
  ['the addon', `import('file://' + process.argv[2])`],
  ['source in the name', `import('data:text/javascript,export const x = 1')`],
  ['a package', `import('piscina')`],
])('[isolate fallen] %s cannot be imported', async (_name, code) => {
  expect(await attempt(`return typeof await ${code}`)).toMatch(/^refused: /);
});

test('[isolate fallen] what a child does not need of Node is not there: its start would take longer', async () => {
  const found = await attempt(
    'return process.moduleLoadList.filter((name) => /streams.readable|readline|fs.promises|perf_hooks|crypto/.test(name))',
  );
  expect(found).toEqual([]);
});

test('[isolate fallen] the process has no environment, and no way out on its objects', async () => {
  const found = await attempt(`
    const names = ['kill', '_kill', 'dlopen', 'binding', '_linkedBinding', 'execve', 'abort', 'reallyExit', 'report',
      '_debugProcess', 'getBuiltinModule', 'mainModule', 'stdin', 'stdout', 'stderr', '_getActiveHandles',
      '_getActiveRequests', 'chdir', 'setuid', 'setgid', 'loadEnvFile', 'openStdin'];
    const globals = ['fetch', 'WebSocket', 'EventSource', 'WebAssembly', 'require', 'Worker', 'BroadcastChannel'];
    return [
      { ...process.env },
      names.filter((name) => name in process),
      globals.filter((name) => name in globalThis),
      ['fs.read', 'fs.write', 'child', 'worker', 'addon', 'wasi', 'inspector'].filter((each) => process.permission.has(each)),
    ];
  `);
  expect(found).toEqual([{}, [], [], []]);
});

test.skipIf(isElsewhere)(
  '[isolate fallen] no descriptor of the host is open in the child',
  async () => {
    const { child } = await breakIn('return 0');
    const targets = (pid: number | 'self'): string[] =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return [`${fd} ${readlinkSync(`/proc/${pid}/fd/${fd}`)}`];
        } catch {
          return [];
        }
      });
    const own = new Set(targets('self').map((line) => line.split(' ')[1]));
    const beyond = targets(child.pid)
      .filter((line) => Number(line.split(' ')[0]) > 2)
      .map((line) => line.split(' ')[1] ?? '');
    child.kill();
    // Its event loop's own: nothing with a name but /dev/null, and no pipe or socket that the host holds the end of.
    expect(beyond.filter((target) => !/^(anon_inode:|pipe:|\/dev\/null$)/.test(target))).toEqual(
      [],
    );
    expect(beyond.filter((target) => target.startsWith('pipe:') && own.has(target))).toEqual([]);
  },
);

test.skipIf(isElsewhere)(
  'core dumps are off, and so is everything that a limit can turn off',
  async () => {
    const { child } = await breakIn('return 0');
    const limits = readFileSync(`/proc/${child.pid}/limits`, 'latin1');
    child.kill();
    if (child.layers.includes('cores')) expect(limits).toMatch(/^Max core file size +0 +0 /m);
    if (child.layers.includes('files')) expect(limits).toMatch(/^Max file size +0 +0 /m);
  },
);

const STOLEN: readonly (readonly [promise: string, modules: readonly string[], code: string])[] = [
  ['reads no file', ['fs'], `return modules.fs.readFileSync('/etc/hostname', 'utf8')`],
  [
    'reads no file of its own any more',
    ['fs'],
    `return modules.fs.readFileSync(process.argv[1]).length`,
  ],
  ['lists no folder', ['fs'], `return modules.fs.readdirSync('/')`],
  ['learns of no file', ['fs'], `return modules.fs.statSync('/etc/passwd').size`],
  ['follows no link', ['fs'], `return modules.fs.readlinkSync('/proc/self/exe')`],
  [
    'reads no file by way of a blob',
    ['fs'],
    `return await (await modules.fs.openAsBlob('/etc/hostname')).text()`,
  ],
  ['writes no file', ['fs'], `modules.fs.writeFileSync('/tmp/signalbox-escape', 'x')`],
  ['makes no link', ['fs'], `modules.fs.symlinkSync('/etc', '/tmp/signalbox-escape')`],
  ['makes no folder', ['fs'], `return modules.fs.mkdtempSync('/tmp/signalbox-escape-')`],
  ['watches no folder', ['fs'], `return typeof modules.fs.watch('/etc')`],
  [
    'writes no heap snapshot',
    ['v8'],
    `return modules.v8.writeHeapSnapshot('/tmp/signalbox-escape')`,
  ],
  ['asks for no heap snapshot later', ['v8'], `return modules.v8.setHeapSnapshotNearHeapLimit(1)`],
  [
    'starts no program',
    ['child_process'],
    `return modules.child_process.spawnSync('/bin/true').pid ?? 'none'`,
  ],
  [
    'starts no program by way of the handle',
    ['child_process'],
    `return new modules.child_process.ChildProcess().spawn({ file: '/bin/true', args: ['true'], stdio: 'ignore' })`,
  ],
  [
    'starts no worker',
    ['worker_threads'],
    `new modules.worker_threads.Worker('1', { eval: true }); return 'up'`,
  ],
  [
    'loads no foreign addon',
    ['module'],
    `return typeof modules.module.createRequire('/x.js')(process.argv[2])`,
  ],
  [
    'loads no foreign addon by extension',
    ['module'],
    `modules.module.default._extensions['.node'](new modules.module.default('x'), process.argv[2]); return 'up'`,
  ],
  [
    'registers no loader',
    ['module'],
    `modules.module.register('data:text/javascript,1'); return 'up'`,
  ],
  [
    'keeps no compile cache',
    ['module'],
    `return modules.module.enableCompileCache('/tmp/signalbox-escape').status === modules.module.constants.compileCacheStatus.ENABLED ? 'up' : Promise.reject('off')`,
  ],
  ['opens no debugger', ['inspector'], `modules.inspector.open(0, '127.0.0.1'); return 'up'`],
  [
    'debugs itself no more',
    ['inspector'],
    `new modules.inspector.Session().connect(); return 'up'`,
  ],
  [
    'makes no WASI',
    ['wasi'],
    `new modules.wasi.WASI({ version: 'preview1', preopens: { '/': '/' } }); return 'up'`,
  ],
  [
    'traces nothing',
    ['trace_events'],
    `modules.trace_events.createTracing({ categories: ['node'] }).enable(); return 'up'`,
  ],
  [
    'becomes no other program',
    ['process'],
    `modules.process.execve('/bin/true', ['true'], {}); return 'up'`,
  ],
];

test.each(STOLEN)('[module lock fallen] it %s', async (_name, modules, code) => {
  expect(await attempt(code, { modules })).toMatch(/^refused: /);
});

test('[module lock fallen] there is no SQLite, whose ATTACH would open files', async () => {
  await expect(attempt('return 0', { modules: ['sqlite'] })).rejects.toThrow(/sqlite/);
});

const EVERY_WAY_OUT: readonly (readonly [way: string, code: string])[] = [
  ['tcp', `modules.net.connect(53, '1.1.1.1').on('error', no).on('connect', yes)`],
  [
    'tcp over IPv6',
    `modules.net.connect(53, '2606:4700:4700::1111').on('error', no).on('connect', yes)`,
  ],
  [
    'udp',
    `modules.dgram.createSocket('udp4').on('error', no).send('x', 53, '1.1.1.1', (e) => (e ? no(e) : yes()))`,
  ],
  ['dns', `modules.dns.resolve4('example.com', (e) => (e ? no(e) : yes()))`],
];

test.skipIf(lacks('network')).each(EVERY_WAY_OUT)(
  '[module lock fallen] nothing gets out by %s',
  async (_way, code) => {
    const body = `return new Promise((yes, no) => { ${code} })`;
    expect(await attempt(body, { modules: ['net', 'dgram', 'dns'] })).toMatch(/^refused: E/);
  },
);

test.skipIf(lacks('network'))(
  '[module lock fallen] a server of this very machine is out of reach',
  async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const body = `return new Promise((yes, no) => modules.net.connect(${port}, '127.0.0.1').on('error', no).on('connect', () => yes('in')))`;
    try {
      expect(await attempt(body, { modules: ['net'] })).toMatch(/^refused: E/);
    } finally {
      server.close();
    }
  },
);

test.skipIf(lacks('network'))(
  '[module lock fallen] an abstract socket of this machine is out of reach',
  async () => {
    const name = `\0signalbox-test-${process.pid}`;
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(name, resolve));
    const body = `return new Promise((yes, no) => modules.net.connect(${JSON.stringify(name)}).on('error', no).on('connect', () => yes('in')))`;
    try {
      expect(await attempt(body, { modules: ['net'] })).toMatch(/^refused: E/);
    } finally {
      server.close();
    }
  },
);

test.skipIf(lacks('user'))(
  '[module lock fallen] a socket file of the host is out of reach',
  async () => {
    const file = path.join(await tempFolder(), 'socket');
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(file, resolve));
    const body = `return new Promise((yes, no) => modules.net.connect(${JSON.stringify(file)}).on('error', no).on('connect', () => yes('in')))`;
    try {
      expect(await attempt(body, { modules: ['net'] })).toMatch(/^refused: EACCES/);
    } finally {
      server.close();
    }
  },
);

/** A folder in which every user may write. */
async function openFolder(): Promise<string> {
  const folder = await tempFolder();
  await chmod(folder, 0o777);
  return folder;
}

test.skipIf(lacks('files'))(
  '[permission model fallen] nothing is written into a file',
  async () => {
    const file = path.join(await openFolder(), 'escape');
    const body = `modules.fs.writeFileSync(${JSON.stringify(file)}, 'x'); return 'written'`;
    expect(await attempt(body, { modules: ['fs'], permission: true })).toMatch(
      /^(gone|refused: E)/,
    );
    expect(readFileSync(file, 'utf8')).toBe('');
  },
);

test.skipIf(lacks('files'))(
  "[permission model fallen] V8's own logging writes nothing into a file",
  async () => {
    const file = path.join(await openFolder(), 'escape');
    const body = `
      modules.v8.setFlagsFromString('--logfile=' + ${JSON.stringify(file)});
      modules.v8.setFlagsFromString('--log-function-events');
      await new Promise((resolve) => setTimeout(resolve, 20));`;
    await attempt(body, { modules: ['v8'], permission: true });
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe('');
  },
);

test.skipIf(lacks('user'))(
  "[permission model fallen] a file of the host that is nobody else's stays unread",
  async () => {
    const folder = await tempFolder();
    const body = `return modules.fs.readdirSync(${JSON.stringify(folder)})`;
    expect(await attempt(body, { modules: ['fs'], permission: true })).toBe('refused: EACCES');
  },
);

/** Calls of the system that the child's own JavaScript can still make: the priority of a process needs the right to it. */
test.skipIf(lacks('user'))('[permission model fallen] it has no power over the host', async () => {
  const renice = `modules.os.setPriority(${process.pid}, 19); return 'done'`;
  expect(await attempt(renice, { modules: ['os'], permission: true })).toMatch(/^refused: /);
  const signal = `return modules.child_process.spawnSync('/bin/sh', ['-c', 'kill -0 ${process.pid}']).status`;
  expect(await attempt(signal, { modules: ['child_process'], permission: true })).not.toBe(0);
});

test.skipIf(lacks('user'))(
  '[permission model fallen] it has no power over another child',
  async () => {
    const { child } = await breakIn('return 0');
    try {
      const signal = `return modules.child_process.spawnSync('/bin/sh', ['-c', 'kill -0 ${child.pid}']).status`;
      expect(await attempt(signal, { modules: ['child_process'], permission: true })).not.toBe(0);
      const memory = `return modules.fs.readFileSync('/proc/${child.pid}/mem').length`;
      expect(await attempt(memory, { modules: ['fs'], permission: true })).toMatch(/^refused: E/);
      const environ = `return modules.fs.readFileSync('/proc/${process.pid}/environ').length`;
      expect(await attempt(environ, { modules: ['fs'], permission: true })).toMatch(/^refused: E/);
    } finally {
      child.kill();
    }
  },
);

test.skipIf(lacks('user'))(
  '[permission model fallen] it cannot become another user or gain a privilege',
  async () => {
    const status = await attempt(`return modules.fs.readFileSync('/proc/self/status', 'latin1')`, {
      modules: ['fs'],
      permission: true,
    });
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
      expect(status).toMatch(new RegExp(`^${set}:\\s0+$`, 'm'));
    }
    expect(status).toMatch(/^NoNewPrivs:\s1$/m);
    expect(status).toMatch(/^Groups:\s*$/m);
  },
);

test('a child that could not give something up is not used', async () => {
  const { buildHash } = await testEntries();
  await expect(attempt('return 0', { permission: true, hash: buildHash })).rejects.toMatchObject({
    name: 'Foreign',
  });
});
