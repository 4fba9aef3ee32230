/**
 * The wire between host and child: length-prefixed binary frames of one form. Little-endian:
 * `u32 length of what follows · u8 kind · u32 id · u32 number · UTF-8 text`.
 */
export interface Frame {
  readonly kind: number;
  /** The activity that it belongs to; 0 for none. */
  readonly id: number;
  /** A second number whose meaning the kind gives. */
  readonly number: number;
  readonly text: string;
}

const PREFIX_BYTES = 4;
const HEAD_BYTES = 9;

/** Encodes one frame. */
export function encodeFrame({ kind, id, number, text }: Frame): Buffer {
  const textBytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + HEAD_BYTES + textBytes);
  frame.writeUInt32LE(HEAD_BYTES + textBytes, 0);
  frame[4] = kind;
  frame.writeUInt32LE(id, 5);
  frame.writeUInt32LE(number, 9);
  if (textBytes > 0) frame.write(text, PREFIX_BYTES + HEAD_BYTES);
  return frame;
}

/** Cuts a byte stream into frames. A stream that cannot be cut is broken for good. */
export class FrameReader {
  readonly #maxBytes: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Bytes that must be there before it is worth joining what has come. */
  #wantedBytes = PREFIX_BYTES;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes bytes and hands every complete frame to `take`, in order. Returns `false` when the stream is broken. */
  push(chunk: Buffer, take: (frame: Frame) => void): boolean {
    let bytes = chunk;
    if (this.#restBytes > 0) {
      this.#rest.push(chunk);
      this.#restBytes += chunk.length;
      if (this.#restBytes < this.#wantedBytes) return true;
      bytes = Buffer.concat(this.#rest, this.#restBytes);
    }
    let at = 0;
    this.#wantedBytes = PREFIX_BYTES;
    while (bytes.length - at >= PREFIX_BYTES) {
      const length = bytes.readUInt32LE(at);
      if (length < HEAD_BYTES || length > this.#maxBytes) return false;
      const end = at + PREFIX_BYTES + length;
      if (bytes.length < end) {
        this.#wantedBytes = end - at;
        break;
      }
      const kind = bytes[at + 4] ?? 0;
      const id = bytes.readUInt32LE(at + 5);
      const number = bytes.readUInt32LE(at + 9);
      take({ kind, id, number, text: bytes.toString('utf8', at + PREFIX_BYTES + HEAD_BYTES, end) });
      at = end;
    }
    this.#rest = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#restBytes = bytes.length - at;
    return true;
  }
}
