import { expect, test } from 'vitest';
import {
  CAPABILITIES,
  covers,
  entails,
  parseCapability,
  plainCapability,
  shortfall,
  type CapabilityRow,
} from '../../sdk/capabilities.ts';

const ROWS = Object.entries<CapabilityRow>(CAPABILITIES);

test.each(ROWS)('%s is read bare exactly where it needs no scope', (name, row) => {
  expect(parseCapability(name)).toEqual(row.scope === 'required' ? undefined : { name });
});

test.each(ROWS)('%s is read with a scope exactly where it takes one', (name, row) => {
  const read = parseCapability(`${name}:part`);
  expect(read).toEqual(row.scope === 'none' ? undefined : { name, scope: 'part' });
  expect(row.scopeName !== undefined).toBe(row.scope !== 'none');
});

test.each(ROWS)('%s says what it gives in plain words', (_, row) => {
  expect(row.gives).toMatch(/^[a-z].*[^.]$/);
});

test.each([
  ['net:fetch:api.example.com', { name: 'net:fetch', scope: 'api.example.com' }],
  ['secrets:MAIL_TOKEN', { name: 'secrets', scope: 'MAIL_TOKEN' }],
  ['store:read:user_profile', { name: 'store:read', scope: 'user_profile' }],
])('%s is a name and a scope', (text, capability) => {
  expect(parseCapability(text)).toEqual(capability);
});

test.each([
  '',
  ' ',
  'READS_INPUT',
  'reads_input ',
  'reads_everything',
  'constructor',
  'store',
  'store:',
  'store:read:',
  'store:read:*',
  'store:read:a b',
  'store:read:a:b',
  'store:read:../x',
  'store:readx',
  'net:fetch:',
  'net:fetch:*.example.com',
  'net:fetch:https://example.com',
  `secrets:${'A'.repeat(254)}`,
])('%j is no capability', (text) => {
  expect(parseCapability(text)).toBeUndefined();
});

test('a grant without a scope covers every scope', () => {
  expect(covers(['store:read'], 'store:read', 'users')).toBe(true);
  expect(covers(['store:read'], 'store:read')).toBe(true);
});

test('a host is the same in any case, and nothing else is', () => {
  for (const [held, host] of [
    ['net:fetch:API.Example.com', 'api.example.com'],
    ['net:fetch:api.example.com', 'Api.example.COM'],
  ] as const) {
    expect(covers([held], 'net:fetch', host)).toBe(true);
    expect(entails(held, `net:fetch:${host}`)).toBe(true);
    expect(plainCapability(held)).toBe('net:fetch:api.example.com');
  }
  expect(covers(['net:fetch:API.Example.com'], 'net:fetch', 'example.com')).toBe(false);
  expect(covers(['NET:FETCH:api.example.com'], 'net:fetch', 'api.example.com')).toBe(false);
  expect(covers(['store:read:Users'], 'store:read', 'users')).toBe(false);
  expect(covers(['secrets:KEY'], 'secrets', 'key')).toBe(false);
  expect(['secrets:KEY', 'store:read:Users', 'no such'].map(plainCapability)).toEqual([
    'secrets:KEY',
    'store:read:Users',
    'no such',
  ]);
});

test('a grant with a scope covers that scope alone', () => {
  expect(covers(['store:read:users'], 'store:read', 'users')).toBe(true);
  expect(covers(['store:read:users'], 'store:read', 'orders')).toBe(false);
  expect(covers(['store:read:users'], 'store:read', 'user')).toBe(false);
  expect(covers(['store:read:users'], 'store:read')).toBe(false);
});

test('reading does not cover writing', () => {
  expect(covers(['store:read'], 'store:write')).toBe(false);
  expect(covers(['reads_tool_io'], 'gates_tools')).toBe(false);
});

test('nothing held covers nothing', () => {
  expect(covers([], 'reads_input')).toBe(false);
});

test('the shortfall is what was declared and not granted, as declared', () => {
  const declared = ['reads_tool_io', 'store:read:users', 'store:read:orders', 'store:write'];
  expect(shortfall(declared, declared)).toEqual([]);
  expect(shortfall(declared, ['reads_tool_io', 'store:read'])).toEqual(['store:write']);
  expect(shortfall(declared, ['store:read:users'])).toEqual([
    'reads_tool_io',
    'store:read:orders',
    'store:write',
  ]);
});

test('a wider declaration than the grant falls short', () => {
  expect(shortfall(['store:read'], ['store:read:users'])).toEqual(['store:read']);
});

test('a declaration that no row allows always falls short', () => {
  expect(shortfall(['reads_everything'], ['reads_everything'])).toEqual(['reads_everything']);
});
