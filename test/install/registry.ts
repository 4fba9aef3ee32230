import { execFile, fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { archiveOf, packed, type ArchiveEntry } from '../packages/archives.ts';
import type { Tree } from '../packages/workspace.ts';

/** A real npm registry on loopback. Whoever opens it closes it. */
export interface Registry {
  readonly url: string;
  /** The lines of an .npmrc that a user of the registry has. */
  readonly npmrc: string;
  /** Publishes files as a package, with what `npm publish` sends: its process takes a hundred times as long. */
  publish(files: Tree, tag?: string): Promise<void>;
  /** Publishes an archive that npm would not make; whoever signs in may send what they like. */
  publishArchive(identity: Identity, entries: readonly ArchiveEntry[]): Promise<void>;
  /** Takes a package back with all its versions, as `npm unpublish` does; nothing where there is none. */
  unpublish(name: string): Promise<void>;
  /** Runs another command of npm against the registry. */
  npm(...args: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The name and version of a package. */
export interface Identity {
  readonly name: string;
  readonly version: string;
}

const CONFIG = (folder: string): string => `
storage: ${join(folder, 'storage')}
auth: { htpasswd: { file: ${join(folder, 'htpasswd')} } }
uplinks: {}
packages:
  '@*/*': { access: $all, publish: $authenticated, unpublish: $authenticated }
  '**': { access: $all, publish: $authenticated, unpublish: $authenticated }
log: { type: stdout, format: json, level: warn }
`;

/** Starts verdaccio with an empty storage and one user. */
export async function openRegistry(): Promise<Registry> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-registry-')));
  const config = join(folder, 'config.yaml');
  await writeFile(config, CONFIG(folder));
  const { url, port, server } = await startedServer(config);
  const token = await signIn(url);
  const npmrc = `registry=${url}\n//127.0.0.1:${port}/:_authToken=${token}\n`;
  const userconfig = join(folder, 'npmrc');
  await writeFile(userconfig, npmrc);
  const npm = async (...args: readonly string[]): Promise<void> => {
    const env = { ...withoutNpm(process.env), npm_config_userconfig: userconfig };
    await promisify(execFile)('npm', ['--cache', join(folder, 'npm'), ...args], {
      env,
      cwd: folder,
    });
  };
  return {
    url,
    npmrc,
    npm,
    publish: (files, tag = 'latest') =>
      put(url, {
        token,
        tag,
        manifest: files['package.json'] as Identity,
        archive: archiveOf(packed(files)),
      }),
    publishArchive: (manifest, entries) =>
      put(url, { token, tag: 'latest', manifest, archive: archiveOf(entries) }),
    async unpublish(name) {
      const authorization = `Bearer ${token}`;
      const answer = await fetch(`${url}${name}/-rev/all`, {
        method: 'DELETE',
        headers: { authorization },
      });
      if (!answer.ok && answer.status !== 404) throw refusal(answer);
    },
    async close() {
      const closed = once(server, 'close');
      server.kill('SIGKILL');
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface StartedServer {
  readonly url: string;
  readonly port: number;
  readonly server: ChildProcess;
}

/** Another test may take the free port before the server does: then the server ends, and the next port is tried. */
async function startedServer(config: string, attempts = 5): Promise<StartedServer> {
  const port = await freePort();
  const bin = join(
    dirname(createRequire(import.meta.url).resolve('verdaccio')),
    '../bin/verdaccio',
  );
  const server = fork(bin, ['--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    cwd: dirname(config),
  });
  // It says so itself once it listens; where the port is taken it ends instead.
  const isListening = await Promise.race([
    once(server, 'message').then(() => true),
    once(server, 'exit').then(() => false),
  ]);
  if (isListening) return { url: `http://127.0.0.1:${port}/`, port, server };
  if (attempts === 1) throw new Error('verdaccio did not start: look at its own output');
  return startedServer(config, attempts - 1);
}

/** The environment without what `npm test` says of its own configuration. */
export function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !/^npm_config_/i.test(key)));
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}-/user/org.couchdb.user:ada`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ada', password: 'long-enough' }),
  });
  return ((await answer.json()) as { readonly token: string }).token;
}

interface Upload {
  readonly token: string;
  readonly tag: string;
  /** All of it is told to whoever asks for the package. */
  readonly manifest: Identity;
  readonly archive: Buffer;
}

/** What `npm publish` sends. https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md */
async function put(url: string, { token, tag, manifest, archive }: Upload): Promise<void> {
  const { name, version } = manifest;
  const file = `${name}-${version}.tgz`;
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const shasum = createHash('sha1').update(archive).digest('hex');
  const dist = { integrity, shasum, tarball: `${url}${name}/-/${file}` };
  const answer = await fetch(`${url}${name.replace('/', '%2f')}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      _id: name,
      name,
      'dist-tags': { [tag]: version },
      versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
      _attachments: {
        [file]: {
          content_type: 'application/octet-stream',
          data: archive.toString('base64'),
          length: archive.length,
        },
      },
    }),
  });
  if (!answer.ok) throw refusal(answer);
}

function refusal({ status }: Response): Error {
  return new Error(`The registry answers ${status}`);
}
