/* oxlint-disable no-restricted-globals -- a bundler makes a module that is required come up at its first use; one that
   is imported comes up with the bundle. Together these take some milliseconds, which few isolates need to pay. */
import type * as Encoding from '@exodus/bytes/encoding-lite.js';
import type * as Url from 'whatwg-url-minimum';

/** Encoders and decoders. */
export const encodingLibrary = (): typeof Encoding =>
  require('@exodus/bytes/encoding-lite.js') as typeof Encoding;

/** The URL parser. */
export const urlLibrary = (): typeof Url => require('whatwg-url-minimum') as typeof Url;
