// Written into the entries of child processes when they are bundled: see host/build.ts.

/** A script whose value is `boot` of host/guest/isolate-entry.ts. */
declare const PRELUDE: string;
/** A script whose value is `makeWeb` of host/guest/web-entry.ts. */
declare const WEB_NAMES: string;
/** A script whose value is `contracts` of host/guest/contracts-entry.ts. */
declare const CONTRACTS: string;
/** Names the sources that an entry was bundled from. */
declare const BUILD_HASH: string;
/** The entry of the host's own sdk. */
declare const OWN_SDK: string;
