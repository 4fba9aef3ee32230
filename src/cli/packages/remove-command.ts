import { disablePackage } from '../../packages/install/enable.ts';
import { EXIT } from '../exit-code.ts';
import { entryNamed, lockedOf, openPackages } from './package-session.ts';
import type { Session } from '../session.ts';

/** Takes a package out of runtime.json and the lock. */
export async function runRemove(session: Session, name: string): Promise<number> {
  const packages = await openPackages(session);
  const entry = entryNamed(name, packages);
  const locked = lockedOf(entry, packages);
  await disablePackage(entry.package, packages.config);
  const { terminal } = session;
  const removed = locked === undefined ? entry.package : `${locked.name}@${locked.version}`;
  if (terminal.isJson)
    terminal.json({ removed: locked?.name ?? entry.package, version: locked?.version });
  else terminal.line(`Removed ${removed}`);
  return EXIT.ok;
}
