import { expect, test } from 'vitest';
import { commandLine, isSameTool, toolKind, toolPaths } from '@signalbox/sdk';

test.each(['Bash', 'bash', 'Shell', 'run_shell_command', 'powershell', 'execute_command'])(
  '[G07] a rule for "Bash" means %s as well',
  (name) => {
    expect(isSameTool(name, 'Bash')).toBe(true);
    expect(toolKind(name)).toBe('shell');
  },
);

test('[G07] reading and writing have many names too', () => {
  expect(['view', 'Read', 'read_file', 'ReadManyFiles'].map(toolKind)).toEqual(
    Array(4).fill('read'),
  );
  expect(['Write', 'write_to_file', 'create_file'].map(toolKind)).toEqual(Array(3).fill('write'));
});

test('a tool that nobody knows is of no kind and the same as itself alone', () => {
  expect(toolKind('mcp__brave-search__q')).toBeUndefined();
  expect(toolKind('constructor')).toBeUndefined();
  expect(isSameTool('refund', 'Refund')).toBe(true);
  expect(isSameTool('refund', 'rebook')).toBe(false);
});

test('a command line is found under its usual keys, as text or as words', () => {
  expect(commandLine({ CommandLine: 'ls' })).toBe('ls');
  expect(commandLine({ command: ['sh', '-c', "echo 'x'"] })).toBe(
    String.raw`'sh' '-c' 'echo '\''x'\'''`,
  );
  expect(commandLine({ command: 5, text: 'ls' })).toBeUndefined();
});

test('paths are found at any depth and content is not taken for one', () => {
  const args = {
    file_path: '/a',
    content: '/b',
    paths: ['c', 'd'],
    nested: { edits: [{ TargetFile: 'e', text: 'f' }] },
  };
  expect(toolPaths(args)).toEqual(['/a', 'c', 'd', 'e']);
});
