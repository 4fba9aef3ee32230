import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

import { HOME } from '../../host/home.ts';
import { createConsoleFiles } from './console-files.ts';

/** The page itself is no secret: what it shows, it asks for with a token. */
const ROUTE = { config: { role: 'open' }, schema: { hide: true } } as const;

/** The names of assets hold a hash of what is in them. */
const KEPT = { cacheControl: true, maxAge: '365d', immutable: true };

/** Adds the web console: one page and its assets. */
export async function addConsoleRoutes(app: FastifyInstance): Promise<void> {
  const findFolder = createConsoleFiles();
  await app.register(fastifyStatic, {
    root: join(HOME, 'console'),
    serve: false,
    cacheControl: false,
  });
  app.get('/', ROUTE, async (_request, reply) => reply.sendFile('index.html', await findFolder()));
  app.get<{ Params: { readonly file: string } }>('/assets/:file', ROUTE, async (request, reply) => {
    const folder = await findFolder();
    return reply.sendFile(`assets/${request.params.file}`, folder, KEPT);
  });
}
