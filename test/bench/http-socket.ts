import { connect } from 'node:net';

/** A connection that is kept open and knows just enough of HTTP to make one call after the other. */
export interface CallSocket {
  /** Sends a request as it stands and gives its answer, head and body, once all of it is there. */
  call(request: Buffer): Promise<string>;
  close(): void;
}

/** A request with a JSON body as it goes over a connection. */
export function postOf(origin: string, path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(origin).host}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Opens a connection. A whole client would take as much of the machine as the server that is measured. */
export function openCallSocket(origin: string): CallSocket {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let text = '';
  let waiting: PromiseWithResolvers<string> | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    if (!isWhole(text)) return;
    const answer = text;
    text = '';
    waiting?.resolve(answer);
  });
  socket.on('error', (error) => waiting?.reject(error));
  let isClosed = false;
  socket.on('close', () => {
    isClosed = true;
    waiting?.reject(new Error('The server closed the connection'));
  });
  return {
    call(request) {
      if (isClosed) return Promise.reject(new Error('The connection is closed'));
      waiting = Promise.withResolvers();
      socket.write(request);
      return waiting.promise;
    },
    close: () => void socket.destroy(),
  };
}

/** Whether an answer is there to its end, by its length or its last chunk. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined
    ? text.endsWith('\r\n0\r\n\r\n')
    : text.length >= end + 4 + Number(length);
}
