import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { misfit } from '../../sdk/check-value.ts';
import { ACTION_NAMES } from '../../sdk/decisions.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import type { FromSchema, ObjectSchema } from '../../sdk/json-schema.ts';
import { POINT_NAMES } from '../../sdk/points.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import type { Candidate, Finding } from '../packages/candidate.ts';
import { readContained } from '../packages/install/contained-file.ts';
import { findLocalHooks } from '../packages/local-hooks.ts';
import { findPackageHooks } from '../packages/package-hooks.ts';
import type { TestReport } from '../runtime.ts';
import type { Context, Verdict } from '../verdict.ts';
import type { HookPlace } from './hook-place.ts';
import { parseJson } from '../config/json-file.ts';

const TEXT = { type: 'string' } as const;

const FIXTURE_SCHEMA = {
  type: 'object',
  properties: {
    point: { enum: POINT_NAMES },
    payload: { type: 'object' },
    context: { type: 'object' },
    expect: {
      type: 'object',
      properties: {
        action: { enum: ACTION_NAMES },
        reason: TEXT,
        code: TEXT,
        payload: { type: 'object' },
      },
      required: ['action'],
      additionalProperties: false,
    },
  },
  required: ['point', 'payload', 'expect'],
  additionalProperties: false,
} as const satisfies ObjectSchema;

/** What a hook is given, and what it must say. */
export interface Fixture extends FromSchema<typeof FIXTURE_SCHEMA> {
  readonly context?: Context & Record<string, unknown>;
}

/** A file of a hook's `fixtures` folder; reading it may fail. */
export interface FixtureFile {
  readonly hook: string;
  /** Relative to the folder of runtime.json, or of the package. */
  readonly file: string;
  /** Throws `json_invalid`, `fixture_invalid`. */
  read(): Promise<Fixture>;
}

const MAX_FIXTURE_BYTES = 4 * 1024 * 1024;

/** The fixtures of one hook, or of every hook that a configuration finds, in the order of hooks and files. */
export async function findFixtures(
  config: RuntimeConfig,
  hookName: string | undefined,
): Promise<FixtureFile[]> {
  const files: FixtureFile[] = [];
  const seen = new Set<string>();
  for (const finding of await findHooks(config)) {
    if (finding.kind === 'absent') continue;
    const { candidate } = finding;
    if (seen.has(candidate.name) || (hookName ?? candidate.name) !== candidate.name) continue;
    // The first of two hooks with one name is the one that runs.
    seen.add(candidate.name);
    files.push(...(await fixturesOf(candidate)));
  }
  return files;
}

async function findHooks(config: RuntimeConfig): Promise<Finding[]> {
  const findings = [...(await findLocalHooks(config.folder))];
  for (const entry of config.packages) {
    findings.push(...(await findPackageHooks(entry, config)).findings);
  }
  return findings;
}

async function fixturesOf({ name, code }: Candidate): Promise<FixtureFile[]> {
  if (code === undefined) return [];
  const folder = join(dirname(code.file), 'fixtures');
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const { root } = code.boundary;
      const path = join(folder, file);
      const shown = relative(root, path);
      return { hook: name, file: shown, read: () => readFixture(root, path, shown) };
    });
}

/** The fixtures of a hook under test, by the names of their files. Throws `json_invalid`, `fixture_invalid`. */
export async function readFixturesIn({
  root,
  handler,
}: Pick<HookPlace, 'root' | 'handler'>): Promise<(Fixture & { readonly file: string })[]> {
  if (handler === undefined) return [];
  const folder = join(dirname(handler), 'fixtures');
  const names = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.json'));
  return Promise.all(
    names
      .sort()
      .map(async (file) => ({ file, ...(await readFixture(root, join(folder, file), file)) })),
  );
}

/** A package may not have its fixtures read from outside of itself. */
async function readFixture(root: string, path: string, file: string): Promise<Fixture> {
  const read = await readContained(root, path, MAX_FIXTURE_BYTES);
  if (!read.ok) throw new SignalboxError('fixture_invalid', { file, detail: read.detail });
  return parseFixture(read.text, file);
}

/** Reads the text of a fixture. Throws `json_invalid`, `fixture_invalid`. */
export function parseFixture(text: string, file: string): Fixture {
  const value = parseJson(text, file);
  const detail = misfit(value, FIXTURE_SCHEMA, 'the fixture');
  if (detail !== undefined) throw new SignalboxError('fixture_invalid', { file, detail });
  return value as Fixture;
}

/** How a report differs from what a fixture expects; nothing when it does not. Shows no payload. */
export function differences(fixture: Fixture, report: TestReport): string[] {
  return differencesFrom(fixture, report.verdict);
}

/** How a verdict differs from what a fixture expects. */
export function differencesFrom({ expect }: Fixture, verdict: Verdict): string[] {
  const found: string[] = [];
  const compare = (name: string, expected: unknown, actual: unknown): void => {
    if (expected !== undefined && expected !== actual) {
      found.push(
        `${name} is ${JSON.stringify(actual ?? null)}, expected ${JSON.stringify(expected)}`,
      );
    }
  };
  compare('action', expect.action, verdict.action);
  compare('reason', expect.reason, verdict.reason);
  compare('code', expect.code, verdict.code);
  if (expect.payload !== undefined && !isDeepStrictEqual(expect.payload, verdict.payload)) {
    found.push('the payload differs');
  }
  return found;
}
