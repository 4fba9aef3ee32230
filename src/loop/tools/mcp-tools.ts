import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolOutcome, type AgentTool } from './tool.ts';
import { unavailable, type OpenTools } from './tool-sources.ts';

/** Where an MCP server is. */
export type McpServer =
  | { readonly command: string; readonly args?: readonly string[]; readonly cwd?: string }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

const CALL_MS = 120_000;
const MAX_PAGES = 100;

/** Connects to an MCP server over stdio or HTTP and makes its tools callable. Throws `tools_unavailable`. */
export async function toolsOfMcpServer(
  server: McpServer,
  { prefix = '' }: { readonly prefix?: string } = {},
): Promise<OpenTools> {
  const client = new Client({ name: 'signalbox', version: '1' });
  const source = 'command' in server ? server.command : server.url;
  try {
    await client.connect(transportOf(server));
    return { tools: await listTools(client, prefix), close: () => client.close() };
  } catch (error) {
    await client.close().catch(() => undefined);
    throw unavailable(source, error instanceof Error ? error.message : 'it does not answer');
  }
}

function transportOf(server: McpServer): Transport {
  if ('command' in server) {
    const { command, args = [], cwd } = server;
    const where = cwd === undefined ? {} : { cwd };
    return new StdioClientTransport({ command, args: [...args], ...where, stderr: 'ignore' });
  }
  const { url, headers = {} } = server;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
  });
  // The library's class has an optional field where its interface has one that may be missing.
  return transport as Transport;
}

async function listTools(client: Client, prefix: string): Promise<readonly AgentTool[]> {
  const tools: AgentTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description, inputSchema } of listed.tools) {
      tools.push({
        name: `${prefix}${name}`,
        ...(description !== undefined && { description }),
        parameters: inputSchema,
        run: (args, { signal }) => callTool(client, { name, args, signal }),
      });
    }
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

async function callTool(
  client: Client,
  {
    name,
    args,
    signal,
  }: { readonly name: string; readonly args: object; readonly signal: AbortSignal },
): Promise<ToolOutcome> {
  const result = await client.callTool({ name, arguments: { ...args } }, undefined, {
    signal,
    timeout: CALL_MS,
  });
  const content = Array.isArray(result.content) ? (result.content as readonly Part[]) : [];
  const texts = content.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : []));
  const attachments = content.filter(({ type }) => type !== 'text');
  return new ToolOutcome({
    content: texts.join('\n'),
    isError: result.isError === true,
    ...(attachments.length > 0 && { attachments }),
  });
}

interface Part {
  readonly type: string;
  readonly text?: string;
}
