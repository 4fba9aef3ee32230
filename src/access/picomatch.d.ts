declare module 'picomatch' {
  export interface PicomatchOptions {
    readonly bash?: boolean;
    readonly dot?: boolean;
    readonly nobrace?: boolean;
    readonly noextglob?: boolean;
    readonly nonegate?: boolean;
    readonly strictSlashes?: boolean;
  }
  export default function picomatch(
    glob: string,
    options?: PicomatchOptions,
  ): (text: string) => boolean;
}
