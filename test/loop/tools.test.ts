import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolsOfMcpServer, toolsOfModule, type AgentTool } from '../../src/loop/index.ts';
import { createToolBox } from '../../src/loop/tools/tool.ts';
import { streamedArgument } from '../../src/loop/model/progress.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';
import { play } from './stages.ts';

const SERVER = join(import.meta.dirname, 'mcp-server.mjs');

let temporary: TemporaryRuntime;

beforeAll(async () => {
  temporary = await openTemporary({
    noNegatives: {
      run: `payload.args.a < 0 ? ({ action: 'block', reason: 'positive numbers only' }) : ({ action: 'allow' })`,
    },
  });
}, 120_000);

afterAll(() => temporary.remove());

async function useTools(tools: readonly AgentTool[]): Promise<readonly string[]> {
  const call = (id: string, name: string, args: object) => ({ id, name, args });
  const calls = [
    call('1', 'add', { a: 1, b: 2 }),
    call('2', 'add', { a: -1, b: 2 }),
    call('3', 'add', { a: 'x' }),
    call('4', 'fail', {}),
  ];
  const { requests } = await play(temporary.runtime, [{ calls }, { text: 'done' }], { tools });
  return requests[1]?.messages.slice(-4).map(({ content }) => content) ?? [];
}

const RESULTS = [
  '3',
  'positive numbers only',
  expect.stringContaining('do not fit') as string,
  'no luck',
];

test('tools of an MCP server over stdio are called through the hooks', async () => {
  const { tools, close } = await toolsOfMcpServer({ command: process.execPath, args: [SERVER] });
  try {
    expect(await useTools(tools)).toEqual(RESULTS);
  } finally {
    await close();
  }
}, 120_000);

test('tools of an MCP server over HTTP are called through the hooks', async () => {
  const child = spawn(process.execPath, [SERVER, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const { tools, close } = await toolsOfMcpServer({
      url: `http://127.0.0.1:${Number(port)}/mcp`,
    });
    expect(await useTools(tools)).toEqual(RESULTS);
    await close();
  } finally {
    child.kill();
  }
}, 120_000);

test('a server that is not there and a module without tools are clear errors', async () => {
  await expect(toolsOfMcpServer({ url: 'http://127.0.0.1:9/mcp' })).rejects.toMatchObject({
    code: 'tools_unavailable',
  });
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-tools-'));
  try {
    const file = join(folder, 'tools.mjs');
    await writeFile(file, 'export const tools = [{ name: "a" }];');
    await expect(toolsOfModule(file)).rejects.toMatchObject({ code: 'tools_unavailable' });
    await expect(toolsOfModule(join(folder, 'none.mjs'))).rejects.toMatchObject({
      code: 'tools_unavailable',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);

test('two tools of one name and names that no model can use are refused', () => {
  const tool = { name: 'a', parameters: { type: 'object' }, run: () => '' };
  expect(() => createToolBox([tool, tool])).toThrow('two of that name');
  expect(() => createToolBox([{ ...tool, name: 'a b' }])).toThrow('its name');
});

test.each([
  ['{"path":"a', undefined],
  ['{"path":"a"', 'a'],
  ['{"x":{"path":"inner"},"path":"b"}', 'b'],
  ['{"list":["path","c"],"path":"d"', 'd'],
  ['{"path":1,"other":"e"}', undefined],
  ['{"other":"path","path":"f\\n"}', 'f\n'],
  ['', undefined],
  ['}{]', undefined],
])('of the streamed %s the argument is %s', (text, value) => {
  expect(streamedArgument(text, 'path')).toBe(value);
});
