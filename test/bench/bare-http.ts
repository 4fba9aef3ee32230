import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The least that a server in Node.js takes for a decision: it reads the body, parses it and answers, and asks no hook.
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { payload } = JSON.parse(Buffer.concat(chunks).toString()) as { payload: object };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ action: 'allow', payload }));
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
