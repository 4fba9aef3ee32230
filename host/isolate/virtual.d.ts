/** Made when the child's entry is bundled: see host/build.ts. */
declare module 'signalbox:prelude' {
  /** A script whose value is `boot` of host/guest/isolate-entry.ts. */
  const text: string;
  export default text;
}

declare module 'signalbox:web-names' {
  /** A script whose value is `makeWeb` of host/guest/web-entry.ts. */
  const text: string;
  export default text;
}

declare module 'signalbox:contracts' {
  /** A script whose value is `contracts` of host/guest/contracts-entry.ts. */
  const text: string;
  export default text;
}

declare module 'signalbox:build' {
  /** Names the sources that the entry was bundled from. */
  export const BUILD_HASH: string;
}
