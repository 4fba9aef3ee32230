import { createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hookAt } from '../packages/workspace.ts';
import { makeProject } from './project.ts';
import { openRegistry, type Registry } from './registry.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

let registry: Registry;

beforeAll(async () => {
  forgetNpm();
  registry = await openRegistry();
  await registry.publish({
    'package.json': { name: 'signed', version: '1.0.0' },
    ...hookAt('one'),
  });
}, SLOW_MS);

afterAll(() => registry.close());

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

interface Signing {
  /** What is signed instead of the truth. */
  readonly text?: string;
  /** What `/-/npm/v1/keys` answers. */
  readonly keys?: readonly object[];
  readonly keysStatus?: number;
  readonly attestations?: object;
}

const OWN_KEYS = [
  { keyid: 'SHA256:ours', expires: null, keytype: 'ecdsa-sha2-nistp256', key: KEY },
];

/** The real registry behind one that signs, the way that registry.npmjs.org does; verdaccio cannot. */
async function signing({
  text,
  keys = OWN_KEYS,
  keysStatus = 200,
  attestations,
}: Signing): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url === '/-/npm/v1/keys') {
        return response.writeHead(keysStatus).end(JSON.stringify({ keys }));
      }
      const answer = await fetch(new URL(request.url ?? '', registry.url));
      const body = Buffer.from(await answer.arrayBuffer());
      if (request.url?.endsWith('.tgz')) return response.end(body);
      const own = `http://${request.headers.host}/`;
      const packument = JSON.parse(body.toString().replaceAll(registry.url, own)) as Packument;
      for (const { _id, dist } of Object.values(packument.versions ?? {})) {
        const signer = createSign('SHA256').update(text ?? `${_id}:${String(dist['integrity'])}`);
        dist['signatures'] = [{ keyid: 'SHA256:ours', sig: signer.sign(privateKey, 'base64') }];
        if (attestations !== undefined) {
          dist['attestations'] = { url: `${own}-/npm/v1/attestations/${_id}`, ...attestations };
        }
      }
      return response.writeHead(answer.status).end(JSON.stringify(packument));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `registry=http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`;
}

interface Packument {
  readonly versions?: Readonly<
    Record<string, { readonly _id: string; readonly dist: Record<string, unknown> }>
  >;
}

test.each([
  ['that holds', {}, 'verified'],
  ['without a key to check it', { keysStatus: 404 }, 'unverified'],
])(
  'a signature of the registry %s is shown and locked',
  async (_, options, signature) => {
    const project = await makeProject(await signing(options));
    const { json } = await project.add('signed');
    const provenance = { signature, attestation: 'absent', keys: ['SHA256:ours'] };
    expect(json).toMatchObject([{ provenance }]);
    expect((await project.lock()).packages['signed']).toMatchObject({ provenance });
  },
  SLOW_MS,
);

test.each([
  ['that does not hold', { text: 'something else' }, 'signature does not hold'],
  ['by a key that nobody knows', { keys: [{ ...OWN_KEYS[0], keyid: 'other' }] }, 'no key for'],
  [
    'by a key that had expired',
    { keys: [{ ...OWN_KEYS[0], expires: '2001-01-01T00:00:00.000Z' }] },
    'had expired',
  ],
  ['whose keys cannot be had for now', { keysStatus: 500 }, 'the registry failed (500)'],
])(
  'a signature of the registry %s refuses the package',
  async (_, options, detail) => {
    const project = await makeProject(await signing(options));
    const before = await project.state();
    await expect(project.add('signed')).rejects.toMatchObject({
      code: 'package_fetch',
      message: expect.stringContaining(detail),
    });
    expect(await project.state()).toEqual(before);
  },
  SLOW_MS,
);

test(
  'an attestation that the registry names and does not have refuses the package',
  async () => {
    const provenance = { predicateType: 'https://slsa.dev/provenance/v1' };
    const project = await makeProject(await signing({ attestations: { provenance } }));
    const before = await project.state();
    await expect(project.add('signed')).rejects.toMatchObject({ code: 'package_fetch' });
    expect(await project.state()).toEqual(before);
  },
  SLOW_MS,
);
