export type { Manifest, ManifestResult, Options } from 'pacote';

/** npm's fetcher of packages. It takes half a second to load, and most commands fetch nothing. */
export async function loadPacote(): Promise<typeof import('pacote')> {
  const { default: pacote } = await import('pacote');
  return pacote;
}
