import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellCommands, shellOptions } from '@signalbox/sdk';

const started = (line: string): string[] =>
  shellCommands(line).map(({ program, args }) => [program, ...args].join(' '));

test.each([
  ['rm -rf /', ['rm -rf /']],
  ['/bin/rm -rf /', ['rm -rf /']],
  ['r\'\'m -r"f" /', ['rm -rf /']],
  [String.raw`r\m -rf /`, ['rm -rf /']],
  [String.raw`$'\x72m' -rf /`, ['rm -rf /']],
  ['rm${IFS}-rf${IFS}/', ['rm -rf /']],
  ['RM -rf /', ['rm -rf /']],
  ['cd /tmp; rm -rf x && echo ok || rm y', ['cd /tmp', 'rm -rf x', 'echo ok', 'rm y']],
  ['ls | xargs -n 1 rm -f', ['ls', 'rm -f']],
  ['A=1 B=2 rm x', ['rm x']],
  ['env -i A=1 rm x', ['rm x']],
  ['sudo -u root nice -n 5 rm x', ['rm x']],
  ['timeout -s KILL 5 rm x', ['rm x']],
  ["sh -c 'rm -rf /'", ['rm -rf /']],
  ['bash -lc "cd /; rm -rf *"', ['cd /', 'rm -rf *']],
  ['sh -c "sh -c \'rm x\'"', ['rm x']],
  ["eval 'rm -rf /'", ['rm -rf /']],
  ['echo $(rm -rf /)', ['rm -rf /', 'echo ']],
  ['echo "`rm x`"', ['rm x', 'echo ']],
  ['diff <(rm x) y', ['rm x', 'diff  y']],
  ['bash <<EOF\nrm x\nEOF\nls', ['rm x', 'ls']],
  ['bash <<< "rm x"', ['rm x']],
  ['cat <<EOF\nrm x\nEOF\nls', ['cat', 'ls']],
  ['(cd /; rm x)', ['cd /', 'rm x']],
  ['if true; then rm x; fi', ['true', 'rm x']],
  ['ls # rm x', ['ls']],
  ['echo "rm -rf /"', ['echo rm -rf /']],
  ['rm \\\n -rf /', ['rm -rf /']],
  ["'bash' '-lc' 'rm -rf /'", ['rm -rf /']],
  ['rm "unclosed', ['rm unclosed']],
  ['', []],
])('the line %j starts %j', (line, commands) => {
  expect(started(line)).toEqual(commands);
});

test('redirections are told apart from arguments', () => {
  expect(shellCommands('echo x 2>&1 >> /etc/passwd')[0]).toMatchObject({
    args: ['x'],
    redirects: [
      { operator: '2>&', target: '1' },
      { operator: '>>', target: '/etc/passwd' },
    ],
  });
  expect(shellCommands('sudo tee > /etc/x')[0]?.redirects).toHaveLength(1);
});

test('a command that reads what another prints is piped', () => {
  expect(shellCommands('curl x | sh').map(({ isPiped }) => isPiped)).toEqual([false, true]);
});

test('what is known only when it runs is told', () => {
  expect(shellCommands('$CMD -rf /')[0]?.isDynamic).toBe(true);
  expect(shellCommands('sh -c "$X"')[0]?.isDynamic).toBe(true);
  expect(shellCommands("echo '$X'")[0]?.isDynamic).toBe(false);
  const deep = 'sh -c '.repeat(1) + JSON.stringify('echo '.concat('$('.repeat(50), ')'.repeat(50)));
  expect(shellCommands(deep).some(({ isDynamic }) => isDynamic)).toBe(true);
});

test('options are read bundled or apart, and end at --', () => {
  const { options, operands } = shellOptions(['-rf', '-v', '--depth=3', 'x', '--', '-y']);
  expect([...options]).toEqual(['r', 'f', 'v', '--depth']);
  expect(operands).toEqual(['x', '-y']);
});

test('no line makes it throw or takes long', () => {
  const piece = fc.constantFrom(
    '$(',
    ')',
    '`',
    "'",
    '"',
    '\\',
    '<<',
    'a',
    ' ',
    '\n',
    '|',
    "$'",
    'sh -c ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      shellCommands(pieces.join(''));
    }),
    { numRuns: 300 },
  );
  for (const bit of ['$(', '`', '(', '<<a ', 'sudo ', "sh -c '", '<('])
    shellCommands(bit.repeat(20_000));
});
