import { SourceMap } from 'node:module';
import { mapBundle, type BundleRequest } from '../packages/bundle/bundle.ts';

/**
 * Makes a function that turns places in a hook's bundle into those of its author's source, TypeScript included. The source
 * map is made by the first failure.
 */
export function createFrameMapper(request: BundleRequest): (text: string) => Promise<string> {
  let map: Promise<SourceMap | undefined> | undefined;
  const escaped = request.place.replaceAll(/[^\w/]/g, String.raw`\$&`);
  const frame = new RegExp(`${escaped}:(\\d+):(\\d+)`, 'g');
  return async (text) => {
    if (text.search(frame) < 0) return text;
    const found = await (map ??= readMap(request));
    if (found === undefined) return text;
    return text.replace(frame, (place: string, line: string, column: string) => {
      const origin = found.findOrigin(Number(line), Number(column));
      return 'fileName' in origin
        ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
        : place;
    });
  };
}

async function readMap(request: BundleRequest): Promise<SourceMap | undefined> {
  const text = await mapBundle(request);
  return text === undefined ? undefined : new SourceMap(JSON.parse(text));
}
