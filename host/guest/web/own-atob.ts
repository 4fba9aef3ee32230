/** What the URL library takes from the global object, where an isolate has it under no name. Injected when it is bundled. */
export { decodeBase64 as atob } from './base64.ts';
