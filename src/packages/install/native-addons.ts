import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';

/**
 * Throws `package_bundle` for a package that has files of a native addon, or whose dependencies below it do: no sandbox
 * loads one, and nothing here compiles.
 */
export async function refuseNativeAddons(name: string, root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const addon = entries.find(
    (entry) => entry.isFile() && (entry.name === 'binding.gyp' || entry.name.endsWith('.node')),
  );
  if (addon === undefined) return;
  const path = relative(root, join(addon.parentPath, addon.name)).split(sep).join('/');
  const detail = `"${printable(path, 120)}" belongs to a native addon`;
  throw new SignalboxError('package_bundle', { package: name, hook: '*', detail });
}
