import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { archiveOf, packed } from '../packages/archives.ts';
import { hookAt, hookOf, type Tree } from '../packages/workspace.ts';
import { makeProject, type Project } from './project.ts';
import { forgetNpm, SLOW_MS } from './setting.ts';

beforeAll(forgetNpm);

/** A project beside a tarball of one hook; nothing of it needs a registry. */
async function projectWith(hook: Tree): Promise<Project> {
  const project = await makeProject('');
  const files = { 'package.json': { name: 'packed', version: '1.2.3' }, ...hook };
  await writeFile(join(project.folder, 'packed.tgz'), archiveOf(packed(files)));
  return project;
}

const addTo = (project: Project, ...grant: readonly string[]): ReturnType<Project['add']> =>
  project.add(join(project.folder, 'packed.tgz'), grant.length > 0 ? { grant } : undefined);

test(
  'a host is granted in lower case, however the manifest or the operator writes it',
  async () => {
    const declared = 'net:fetch:API.Example.com';
    const project = await projectWith(hookAt('caller', { capabilities: [declared] }));
    await addTo(project);
    const granted = ['net:fetch:api.example.com'];
    expect(JSON.parse(await project.config())).toMatchObject({ packages: [{ grants: granted }] });
    expect((await project.lock()).packages['packed']?.consent.capabilities).toEqual(granted);
    await addTo(project, 'net:fetch:api.EXAMPLE.com', 'net:fetch:Api.example.com');
    expect(JSON.parse(await project.config())).toMatchObject({ packages: [{ grants: granted }] });
    expect(hookOf(await project.catalog(), 'caller')).toMatchObject({ missing: [] });
  },
  SLOW_MS,
);
