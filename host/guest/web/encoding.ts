import { RangeErrorCtor } from '../intrinsics.ts';
import { asInterface } from './interface.ts';
import { encodingLibrary } from './late.ts';

type Decoder = InstanceType<ReturnType<typeof encodingLibrary>['TextDecoder']>;
type DecoderOptions = { readonly fatal?: boolean; readonly ignoreBOM?: boolean };
type Bytes = ArrayBufferLike | ArrayBufferView;

class WebTextEncoder {
  readonly #codec = new (encodingLibrary().TextEncoder)();

  get encoding(): string {
    return 'utf-8';
  }
  encode(text: unknown = ''): Uint8Array {
    return this.#codec.encode(`${text as string}`);
  }
  encodeInto(text: unknown, target: Uint8Array): { read: number; written: number } {
    return this.#codec.encodeInto(`${text as string}`, target);
  }
}

/** The encodings whose tables the library's small build leaves out. */
const MULTI_BYTE = /^(?:big5|euc-kr|euc-jp|iso-2022-jp|shift_jis|gbk|gb18030)$/;

class WebTextDecoder {
  readonly #codec: Decoder;

  constructor(label: unknown = 'utf-8', options: DecoderOptions = {}) {
    const { normalizeEncoding, TextDecoder } = encodingLibrary();
    const encoding = normalizeEncoding(`${label as string}`);
    if (encoding === null || encoding === 'replacement' || MULTI_BYTE.test(encoding)) {
      throw new RangeErrorCtor(`The encoding label "${label as string}" is not supported`);
    }
    this.#codec = new TextDecoder(encoding, options ?? {});
  }

  get encoding(): string {
    return this.#codec.encoding;
  }
  get fatal(): boolean {
    return this.#codec.fatal;
  }
  get ignoreBOM(): boolean {
    return this.#codec.ignoreBOM;
  }
  decode(bytes?: Bytes, options: { readonly stream?: boolean } = {}): string {
    // A shared buffer cannot be made in the isolate.
    return this.#codec.decode(bytes as Uint8Array<ArrayBuffer>, options ?? {});
  }
}

/** `TextEncoder` of the isolate. */
export const TextEncoder = asInterface('TextEncoder', WebTextEncoder);
/** `TextDecoder` of the isolate, for Unicode and single-byte encodings. */
export const TextDecoder = asInterface('TextDecoder', WebTextDecoder);
