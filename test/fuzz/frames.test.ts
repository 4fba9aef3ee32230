import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, FrameReader, type Frame } from '../../host/frames.ts';
import { decodeFromChild, encodeFromChild, OUTCOMES } from '../../host/messages.ts';
import { PATIENCE_MS, RUNS, SEED } from './fuzz-size.ts';

const MAX_BYTES = 512;

/** Honest frames with a few bytes changed, cut or put in between. */
const streams = fc
  .tuple(
    fc.array(
      fc.record({
        kind: fc.integer({ min: 0, max: 8 }),
        id: fc.nat(2 ** 32 - 1),
        number: fc.oneof(fc.nat(10), fc.nat(2 ** 32 - 1)),
        text: fc.string({ unit: 'binary', maxLength: 60 }),
      }),
      { maxLength: 6 },
    ),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
    fc.uint8Array({ maxLength: 20 }),
  )
  .map(([frames, changes, tail]) => {
    const stream = Buffer.concat([...frames.map(encodeFrame), tail]);
    for (const [at, byte] of changes) if (stream.length > 0) stream[at % stream.length] = byte;
    return stream;
  });

/** What a stream says, read a second way: at once, by hand. */
function readByHand(stream: Buffer): { frames: Frame[]; isBroken: boolean } {
  const frames: Frame[] = [];
  let left = stream;
  while (left.length >= 4) {
    const length = left.readUInt32LE(0);
    if (length < 9 || length > MAX_BYTES) return { frames, isBroken: true };
    if (left.length < 4 + length) break;
    frames.push({
      kind: left.readUInt8(4),
      id: left.readUInt32LE(5),
      number: left.readUInt32LE(9),
      text: left.subarray(13, 4 + length).toString('utf8'),
    });
    left = left.subarray(4 + length);
  }
  return { frames, isBroken: false };
}

test(
  'a spoilt stream gives the same frames however it is cut, then breaks for good or waits',
  () => {
    fc.assert(
      fc.property(
        streams,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (stream, cuts) => {
          const reader = new FrameReader(MAX_BYTES);
          const frames: Frame[] = [];
          let isBroken = false;
          for (let at = 0, turn = 0; at < stream.length && !isBroken; turn += 1) {
            const end = at + (cuts[turn % cuts.length] ?? 1);
            isBroken = !reader.push(stream.subarray(at, end), (frame) => frames.push(frame));
            at = end;
          }
          expect({ frames, isBroken }).toEqual(readByHand(stream));
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
  },
  PATIENCE_MS,
);

test(
  'a frame of a child is one of seven messages with the fields of its kind, or none',
  () => {
    const frame = fc.record({
      kind: fc.integer({ min: 0, max: 255 }).map((kind) => (kind < 200 ? kind % 9 : kind)),
      id: fc.nat(2 ** 32 - 1),
      number: fc.oneof(fc.nat(12), fc.nat(2 ** 32 - 1)),
      text: fc.string({ unit: 'binary' }),
    });
    fc.assert(
      fc.property(frame, (each) => {
        const message = decodeFromChild(each);
        // 128 stands for a run that was quick.
        const isOutcome = each.number < 256 && each.number % 128 < OUTCOMES.length;
        const isKnown = each.kind >= 1 && each.kind <= 7 && (each.kind !== 2 || isOutcome);
        expect(message !== undefined).toBe(isKnown);
        // What is understood says the same again: nothing was guessed or dropped.
        if (message !== undefined) expect(reread(message)).toEqual(message);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
  PATIENCE_MS,
);

function reread(message: NonNullable<ReturnType<typeof decodeFromChild>>): unknown {
  let found: unknown;
  new FrameReader(2 ** 20).push(encodeFromChild(message), (frame) => {
    found = decodeFromChild(frame);
  });
  return found;
}
