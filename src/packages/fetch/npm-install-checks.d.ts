declare module 'npm-install-checks' {
  /** Of a manifest as a registry gives it: nothing is sure to have its type. */
  export interface PlatformNeeds {
    readonly os?: unknown;
    readonly cpu?: unknown;
    readonly libc?: unknown;
    readonly engines?: unknown;
  }
  /** Throws `EBADPLATFORM`. */
  export function checkPlatform(needs: PlatformNeeds): void;
  /** Throws `EBADENGINE`; a version that is not given is not held against anything. */
  export function checkEngine(
    needs: PlatformNeeds,
    npmVersion: string | undefined,
    nodeVersion: string,
  ): void;
}
