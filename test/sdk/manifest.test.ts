import { expect, test } from 'vitest';
import { failPolicyOf, parseManifest, type ParsedManifest } from '../../sdk/manifest.ts';
import { POINTS, POINT_NAMES } from '../../sdk/points.ts';

const READY_TO_QUOTE = {
  name: 'ready-to-quote-guard',
  points: ['preToolUse'],
  capabilities: ['store:read', 'reads_tool_io', 'gates_tools'],
  failPolicy: 'closed',
  priority: 10,
  config: {
    guardedTools: ['store__submissions__set'],
    blockedRecommendation: 'ready-to-quote',
  },
};

const LEAST = { name: 'guard', points: ['preInput'] };

function refused(manifest: unknown): Extract<ParsedManifest, { ok: false }> {
  const parsed = parseManifest(manifest);
  if (parsed.ok) throw new Error('the manifest was accepted');
  return parsed;
}

function accepted(manifest: unknown): Extract<ParsedManifest, { ok: true }>['manifest'] {
  const parsed = parseManifest(manifest);
  if (!parsed.ok) throw new Error(parsed.detail);
  return parsed.manifest;
}

test("[AM6] Amodal's own manifest is read as written", () => {
  expect(accepted(READY_TO_QUOTE)).toMatchObject(READY_TO_QUOTE);
});

test.each([
  ['label', 'Quote guard'],
  ['description', 'Blocks quotes'],
  ['version', '1.2.0'],
  ['author', { name: 'A' }],
  ['x-team', 'risk'],
  ['$schema', './hook.schema.json'],
])('[AM7] the descriptive key "%s" leaves a manifest valid', (key, value) => {
  expect(accepted({ ...LEAST, [key]: value })).toMatchObject({ name: 'guard' });
});

test('[AM8] priority, config, capabilities and failPolicy may be left out', () => {
  expect(accepted(LEAST)).toEqual({
    ...LEAST,
    capabilities: [],
    priority: 0,
    contract: 'signalbox',
    enabled: true,
  });
});

test.each(['failpolicy', 'point', 'prioritty', 'grants', 'sandbox', 'constructor', 'timeout'])(
  'the unknown key "%s" could change behaviour and is refused',
  (key) => {
    expect(refused({ ...LEAST, [key]: 'x' })).toMatchObject({ key });
  },
);

test('a key "__proto__" is refused as unknown', () => {
  const manifest: unknown = JSON.parse('{"name":"guard","points":["preInput"],"__proto__":{}}');
  expect(refused(manifest).key).toBe('__proto__');
});

test('[AM9] an unknown point is refused by name', () => {
  const { key, detail } = refused({ ...LEAST, points: ['preInput', 'preLaunch'] });
  expect(key).toBe('points');
  expect(detail).toContain('point');
});

test('[AM9] an unknown capability is refused, and the known ones are named', () => {
  const { key, detail } = refused({ ...LEAST, capabilities: ['reads_everything'] });
  expect(key).toBe('capabilities');
  expect(detail).toContain('unknown capability "reads_everything"');
  expect(detail).toContain('reads_tool_io');
});

test.each([
  ['name', { ...LEAST, name: '' }],
  ['name', { ...LEAST, name: '../guard' }],
  ['name', { ...LEAST, name: 'a b' }],
  ['name', { ...LEAST, name: 'guard\n' }],
  ['name', { ...LEAST, name: 7 }],
  ['name', { points: ['preInput'] }],
  ['points', { name: 'guard' }],
  ['points', { ...LEAST, points: [] }],
  ['points', { ...LEAST, points: 'preInput' }],
  ['points', { ...LEAST, points: ['constructor'] }],
  ['capabilities', { ...LEAST, capabilities: 'store:read' }],
  ['capabilities', { ...LEAST, capabilities: [7] }],
  ['capabilities', { ...LEAST, capabilities: ['store:read:*'] }],
  ['failPolicy', { ...LEAST, failPolicy: 'Closed' }],
  ['priority', { ...LEAST, priority: '10' }],
  ['timeoutMs', { ...LEAST, timeoutMs: 0 }],
  ['timeoutMs', { ...LEAST, timeoutMs: 1.5 }],
  ['timeoutMs', { ...LEAST, timeoutMs: 3_600_000 }],
  ['memoryMb', { ...LEAST, memoryMb: 1 }],
  ['config', { ...LEAST, config: [] }],
  ['contract', { ...LEAST, contract: 'amodal' }],
  ['enabled', { ...LEAST, enabled: 'yes' }],
  ['when', { ...LEAST, when: { users: ['a'], tools: ['b'] } }],
])('a wrong "%s" is refused and named', (key, manifest) => {
  expect(refused(manifest)).toMatchObject({ key });
});

test('a point twice is refused', () => {
  expect(refused({ ...LEAST, points: ['preInput', 'preInput'] })).toMatchObject({ key: 'points' });
});

test.each([null, undefined, 'guard', 7, [], [LEAST], true])('%j is no manifest', (value) => {
  expect(refused(value).detail).toContain('manifest');
});

test('what is wrong is said without the value', () => {
  const secret = 'sk-1234567890';
  for (const key of ['failPolicy', 'priority', 'timeoutMs', 'contract', 'config']) {
    expect(refused({ ...LEAST, [key]: secret }).detail).not.toContain(secret);
  }
});

test.each(POINT_NAMES)('at %s the operator decides, else the manifest, else the point', (point) => {
  expect(failPolicyOf(point, {})).toBe(POINTS[point].failPolicy);
  expect(failPolicyOf(point, { failPolicy: 'open' })).toBe('open');
  expect(failPolicyOf(point, { failPolicy: 'open' }, 'closed')).toBe('closed');
});
