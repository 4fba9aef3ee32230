import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CONTRACT_NAMES } from '../../sdk/manifest.ts';
import { POINT_NAMES, type Point } from '../../sdk/points.ts';
import { openRuntime } from '../../src/index.ts';
import { nativeName, type OtherContract } from '../../src/scaffold/contract-shapes.ts';
import { planScaffold, type ScaffoldWish } from '../../src/scaffold/plan.ts';
import { scaffold, type ScaffoldStyle } from '../../src/scaffold/scaffold.ts';
import { checkConformance, openTestHost } from '../../src/testing/index.ts';
import { differencesFrom, readFixturesIn } from '../../src/testing/fixtures.ts';
import { ROOT } from '../house/imports.ts';

vi.setConfig({ testTimeout: 180_000 });

const pointsOf = (contract: OtherContract): Point[] =>
  POINT_NAMES.filter((point) => nativeName(contract, point) !== undefined);

type Style = Omit<ScaffoldStyle, 'version'>;

/** A hook that was written, and the folder that it was written to. */
interface Written {
  readonly name: string;
  readonly hook: string;
  readonly root: string;
  readonly handler: string;
}

let folder: string;
let written = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-new-'));
  mkdirSync(join(folder, 'node_modules/@signalbox'), { recursive: true });
  symlinkSync(join(ROOT, 'sdk'), join(folder, 'node_modules/@signalbox/sdk'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(wish: Omit<ScaffoldWish, 'name'>, style: Style, place?: string): Written {
  written += 1;
  const plan = planScaffold({ name: `hook-${written}`, ...wish });
  const root = join(folder, place ?? `${written}`);
  const files = scaffold(plan, { ...style, version: '0.1.0' });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const handler = [...files.keys()].find((path) => /\/index\.\w+$/.test(path)) ?? '';
  return {
    name: plan.hook,
    hook: join(root, 'hooks', plan.hook),
    root,
    handler: join(root, handler),
  };
}

/** Each contract at all of its points. */
const WISHES = CONTRACT_NAMES.flatMap((contract): Omit<ScaffoldWish, 'name'>[] => {
  if (contract === 'signalbox') return [{ contract }];
  const points = pointsOf(contract);
  return contract === 'standard-agents'
    ? points.map((point) => ({ contract, points: [point] }))
    : [{ contract, points }];
});

const PACKAGE = { kind: 'package', language: 'ts' } as const;
const LOCAL = { kind: 'local', language: 'ts', isFresh: true } as const;

describe.each(CONTRACT_NAMES)('a new package of the contract %s', (contract) => {
  test.each(['ts', 'js'] as const)('is green at once and conforms: %s', async (language) => {
    const { hook, ...place } = write({ contract }, { ...PACKAGE, language });
    const host = await openTestHost({ hook, timeoutMs: 30_000 });
    try {
      for (const { file, ...fixture } of await readFixturesIn(place)) {
        const { verdict } = await host.run(fixture.point, fixture.payload as never);
        expect(differencesFrom(fixture, verdict), file).toEqual([]);
      }
      if (language === 'ts') expect(await checkConformance(host)).toEqual([]);
    } finally {
      await host.close();
    }
  });
});

test('local hooks of every contract, language and point are green', async () => {
  const hooks = [
    ...WISHES.map((wish) => write(wish, LOCAL, 'local')),
    ...CONTRACT_NAMES.map((contract) => write({ contract }, { ...LOCAL, language: 'js' }, 'local')),
  ];
  const runtime = await openRuntime({
    config: {
      limits: { loadMs: 60_000, queueMs: 60_000 },
      hooks: {
        overrides: Object.fromEntries(hooks.map(({ name }) => [name, { timeoutMs: 30_000 }])),
      },
    },
    folder: join(folder, 'local'),
    log: { level: 'silent' },
  });
  try {
    for (const { name, ...place } of hooks) {
      for (const { file, ...fixture } of await readFixturesIn(place)) {
        const { point, payload } = fixture;
        const report = await runtime.test({ point, hookName: name, payload });
        expect(differencesFrom(fixture, report.verdict), `${name} ${file}`).toEqual([]);
        expect(report.hooks[0]?.code, `${name} ${file}`).toBeUndefined();
      }
    }
  } finally {
    await runtime.close();
  }
});

test('what is written in TypeScript has right types', () => {
  const hooks = [PACKAGE, LOCAL].flatMap((style) => WISHES.map((wish) => write(wish, style)));
  const { root } = write({ contract: 'standard-agents' }, PACKAGE);
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object;
  };
  const config = {
    compilerOptions: {
      ...compilerOptions,
      // The sources in the place of what a release has.
      customConditions: ['@signalbox/source'],
      paths: { '@standardagents/spec': [join(ROOT, 'sdk/contracts/standard-agents-spec.ts')] },
    },
    files: hooks.map(({ handler }) => handler),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', folder],
    { encoding: 'utf8' },
  );
  expect(stdout).toBe('');
});

test.each([
  [{ contract: 'amplifer' }, /no contract "amplifer".*"amplifier"/],
  [{ contract: 'harness', points: ['onToken'] }, /"harness" has no onToken; it has preTurn/],
  [
    { contract: 'standard-agents', points: ['preContext', 'preModelCall'] },
    /"standard-agents" is bound to one point/,
  ],
])('%j is told what to write instead', (wish, message) => {
  expect(() => planScaffold({ name: 'x', ...wish })).toThrow(message);
});

test('a hook of Standard Agents has an id in snake_case, which is its name', () => {
  const plan = planScaffold({ name: '@acme/no-wipe', contract: 'standard-agents' });
  expect(plan.hook).toBe('no_wipe');
  const files = scaffold(plan, { kind: 'package', language: 'ts', version: '0.1.0' });
  expect(files.get('hooks/no_wipe/index.ts')).toContain("id: 'no_wipe'");
  expect(files.get('hooks/no_wipe/hook.json')).toContain('"name": "no_wipe"');
});
