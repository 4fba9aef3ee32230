import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createServer } from 'node:http';

const NUMBER = { type: 'number' };

const TOOLS = [
  {
    name: 'add',
    description: 'Adds two numbers',
    inputSchema: { type: 'object', properties: { a: NUMBER, b: NUMBER }, required: ['a', 'b'] },
  },
  { name: 'fail', inputSchema: { type: 'object' } },
];

function build() {
  const info = { name: 'sums', version: '1.0.0' };
  // The other one wants a library for schemas that is no dependency here.
  // oxlint-disable-next-line typescript/no-deprecated -- see above
  const server = new Server(info, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: TOOLS }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args } }) => {
    const isError = name === 'fail';
    const text = isError ? 'no luck' : String(args.a + args.b);
    return { content: [{ type: 'text', text }], isError };
  });
  return server;
}

if (process.argv[2] === 'http') {
  const http = createServer((request, response) => void answer(request, response));
  http.listen(0, '127.0.0.1', () => process.stdout.write(`${http.address().port}\n`));
} else {
  await build().connect(new StdioServerTransport());
}

async function answer(request, response) {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => void transport.close());
  await build().connect(transport);
  await transport.handleRequest(request, response);
}
