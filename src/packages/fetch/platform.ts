import { checkEngine, checkPlatform, type PlatformNeeds } from 'npm-install-checks';

/** Whether npm would install an optional package on this machine. What a registry says wrongly of it fits none. */
export function fitsPlatform(needs: PlatformNeeds): boolean {
  try {
    checkPlatform(needs);
    checkEngine(needs, undefined, process.version);
    return true;
  } catch {
    return false;
  }
}
