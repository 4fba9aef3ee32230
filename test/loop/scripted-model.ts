import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the scripted model got it. */
export interface SeenRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly unknown[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly temperature?: number;
  readonly max_tokens?: number;
}

/** What the scripted model does with one request. */
export interface Reply {
  readonly text?: string;
  /** Pieces that the text streams in; the text as one, if absent. */
  readonly chunks?: readonly string[];
  readonly thinking?: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: unknown;
  }[];
  /** Pieces that the arguments of each call stream in. */
  readonly argumentPieces?: number;
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body instead of an answer. */
  readonly body?: string;
  /** Ends the connection after the pieces, before the answer is whole. */
  readonly isCut?: boolean;
  /** Goes on until the client has gone: piece by piece, or without an end of its first line. */
  readonly isEndless?: boolean | 'line';
  /** Is awaited before anything is answered. */
  readonly before?: () => Promise<void> | void;
}

type Script = readonly Reply[] | ((request: SeenRequest, number: number) => Reply);

/** A local server that stands in for a model. The maker closes it. */
export interface ScriptedModel {
  readonly baseUrl: string;
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

/** Serves the replies of a script, one per request. */
export async function openScriptedModel(script: Script): Promise<ScriptedModel> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const seen = JSON.parse(text) as SeenRequest;
    const number = requests.push(seen) - 1;
    const reply = typeof script === 'function' ? script(seen, number) : script[number];
    if (reply === undefined) return void response.writeHead(400).end('{"error":{}}');
    await reply.before?.();
    if (reply.status !== undefined || reply.body !== undefined) {
      const headers = { 'content-type': 'application/json', ...reply.headers };
      response.writeHead(reply.status ?? 200, headers).end(reply.body ?? '{"error":{}}');
    } else if (seen.stream === true) await stream(reply, response);
    else await whole(reply, response);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function callOf({ id, name, args }: NonNullable<Reply['calls']>[number]) {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { id, type: 'function', function: { name, arguments: text } };
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5 };

async function goOn(response: ServerResponse, write: () => void): Promise<void> {
  while (!response.destroyed) {
    write();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function whole(
  { text, calls = [], usage = USAGE, isEndless }: Reply,
  response: ServerResponse,
): Promise<void> {
  if (isEndless !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices":[{"message":{"content":"');
    return goOn(response, () => void response.write('on and on '.repeat(1000)));
  }
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
  const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage }));
}

async function stream(reply: Reply, response: ServerResponse): Promise<void> {
  const { text, calls = [], thinking, argumentPieces = 2, usage = USAGE } = reply;
  const chunks = reply.chunks ?? (text === undefined ? [] : [text]);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (data: unknown): void => void response.write(`data: ${JSON.stringify(data)}\n\n`);
  const delta = (part: object, finish: string | null = null): void =>
    send({ id: 'x', choices: [{ index: 0, delta: part, finish_reason: finish }] });
  if (thinking !== undefined) delta({ reasoning_content: thinking });
  for (const content of chunks) delta({ content });
  for (const [index, call] of calls.map(callOf).entries()) {
    const { arguments: all } = call.function;
    delta({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] });
    const size = Math.max(1, Math.ceil(all.length / argumentPieces));
    for (let at = 0; at < all.length; at += size) {
      delta({ tool_calls: [{ index, function: { arguments: all.slice(at, at + size) } }] });
    }
  }
  if (reply.isEndless === 'line') {
    return goOn(response, () => void response.write('on and on '.repeat(1000)));
  }
  if (reply.isEndless === true) {
    return goOn(response, () => delta({ content: 'on and on '.repeat(1000) }));
  }
  if (reply.isCut === true) {
    await new Promise((resolve) => setImmediate(resolve));
    response.destroy();
    return;
  }
  delta({}, calls.length > 0 ? 'tool_calls' : 'stop');
  send({ id: 'x', choices: [], usage });
  response.end('data: [DONE]\n\n');
}
