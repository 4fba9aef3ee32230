import { randomFillSync } from 'node:crypto';

/**
 * A new id of a record: a UUID of version 7 (RFC 9562), which begins with the time in milliseconds since 1970. Ids that
 * follow each other lie beside each other in an index; those of version 4 made it the larger part of an insert.
 */
export function newRecordId(time: number): string {
  const bytes = randomFillSync(Buffer.alloc(16));
  bytes.writeUIntBE(Math.max(0, Math.trunc(time)), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
