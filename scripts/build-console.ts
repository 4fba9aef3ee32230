import { join } from 'node:path';
import { build } from 'vite';

/** Bundles the web console into a folder, which is emptied first. */
export async function buildConsole(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: join(import.meta.dirname, '../console'),
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      // Nothing inline: the server's content security policy lets no script or style of the page's own text run.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Name the folder to build into');
  await buildConsole(folder);
}
