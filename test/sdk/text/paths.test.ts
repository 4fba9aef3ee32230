import { expect, test } from 'vitest';
import { isPathWithin, normalisePath } from '@signalbox/sdk';

const BASE = { cwd: '/srv/app', home: '/home/ann' };

test.each([
  ['/srv//app/./x/../.env', '/srv/app/.env'],
  ['../../../../etc/passwd', '/etc/passwd'],
  ['.env', '/srv/app/.env'],
  ['./a/b/', '/srv/app/a/b'],
  ['~/.ssh/id_rsa', '/home/ann/.ssh/id_rsa'],
  ['$HOME/.ssh', '/home/ann/.ssh'],
  ['${HOME}/.ssh', '/home/ann/.ssh'],
  ['~', '/home/ann'],
  ['..\\secrets\\key', '/srv/secrets/key'],
  ['file:///etc/pass%77d', '/etc/passwd'],
  ['file://localhost/etc/x', '/etc/x'],
  ['c:\\Users\\..\\Windows', 'C:/Windows'],
  ['c:x', 'C:/x'],
  ['\\\\?\\C:\\Windows', 'C:/Windows'],
  ['file:///C:/Windows', 'C:/Windows'],
  [' /etc/passwd\n', '/etc/passwd'],
  ['/..', '/'],
  ['', '/srv/app'],
])('[D15] the path %j is %j', (path, plain) => {
  expect(normalisePath(path, BASE)).toBe(plain);
});

test('without a folder to start from a relative path stays relative, and ~ stays', () => {
  expect(normalisePath('a/../../b')).toBe('../b');
  expect(normalisePath('a/..')).toBe('.');
  expect(normalisePath('~/x/../y')).toBe('~/y');
});

test('a path lies in a folder however it is spelled, and not in one whose name only starts alike', () => {
  expect(isPathWithin('/srv/app/../app/x', '/srv/app/')).toBe(true);
  expect(isPathWithin('/srv/app', '/srv/app')).toBe(true);
  expect(isPathWithin('/srv/application', '/srv/app')).toBe(false);
  expect(isPathWithin('/anything', '/')).toBe(true);
  expect(isPathWithin('x/y', '.')).toBe(true);
  expect(isPathWithin('../x', '.')).toBe(false);
  expect(isPathWithin('/etc', '.')).toBe(false);
  expect(isPathWithin('x', '/srv/app')).toBe(false);
  expect(isPathWithin('x', '.', BASE)).toBe(true);
});
