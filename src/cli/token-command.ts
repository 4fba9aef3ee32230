import { hash, randomBytes } from 'node:crypto';

import type { ServerRole } from '../config/runtime-config.ts';
import { EXIT } from './exit-code.ts';
import type { Session } from './session.ts';

/** What `signalbox token create` is asked for. */
export interface TokenFlags {
  readonly role: ServerRole;
  readonly name?: string;
}

/** Makes a token of the server and prints it, once, with the line for runtime.json that knows it by its digest. */
export function runTokenCreate({ terminal }: Session, { role, name = role }: TokenFlags): number {
  const token = `sbx_${randomBytes(32).toString('base64url')}`;
  const sha256 = hash('sha256', token);
  const line = { name, role, sha256 };
  if (terminal.isJson) terminal.json({ token, line });
  else {
    terminal.line(token);
    terminal.note('This is the only time it is shown. Add to server.tokens in runtime.json:');
    terminal.note(`  ${JSON.stringify(line)}`);
  }
  return EXIT.ok;
}
