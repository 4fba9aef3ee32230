import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, FrameReader, type Frame } from '../../host/frames.ts';
import {
  decodeFromChild,
  decodeToChild,
  encodeFromChild,
  encodeToChild,
} from '../../host/messages.ts';

const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const frames = fc.array(
  fc.record({
    kind: fc.integer({ min: 0, max: 255 }),
    id: uint32,
    number: uint32,
    text: fc.string({ unit: 'grapheme' }),
  }),
);

function encode(frame: Frame): Buffer {
  return encodeFrame(frame);
}

test('frames come out as they went in, however the stream is cut', () => {
  fc.assert(
    fc.property(frames, fc.infiniteStream(fc.integer({ min: 1, max: 64 })), (sent, cuts) => {
      const stream = Buffer.concat(sent.map(encode));
      const received: Frame[] = [];
      const reader = new FrameReader(1024 * 1024);
      for (let at = 0; at < stream.length;) {
        const end = Math.min(at + (cuts.next().value ?? 1), stream.length);
        expect(reader.push(stream.subarray(at, end), (frame) => received.push(frame))).toBe(true);
        at = end;
      }
      expect(received).toEqual(sent);
    }),
  );
});

test('random bytes never throw and never give a frame longer than the limit', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
      const reader = new FrameReader(64);
      for (const chunk of chunks) {
        const isWhole = reader.push(Buffer.from(chunk), (frame) => {
          expect(Buffer.byteLength(frame.text)).toBeLessThanOrEqual(64 * 3);
          decodeFromChild(frame);
        });
        if (!isWhole) break;
      }
    }),
  );
});

test('a frame that says it is longer than the limit breaks the stream before it is kept', () => {
  const reader = new FrameReader(100);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(101, 0);
  expect(reader.push(head, () => undefined)).toBe(false);
});

test('every message comes out of its frame as it went in', () => {
  const hook = {
    name: 'h',
    contract: 'signalbox',
    input: '{}',
    code: 'x',
    file: 'f',
    memoryMb: 8,
  };
  const toChild = [
    { type: 'open', id: 1, place: 2, hook },
    { type: 'run', id: 1, place: 2, ops: 'store.get', input: '{"a":"\\n"}\n' },
    { type: 'deliver', id: 1, seq: 3, text: 'ü' },
    { type: 'cancel', id: 1, place: 2 },
    { type: 'drop', place: 2 },
  ] as const;
  const fromChild = [
    { type: 'ready', protocol: 1, buildHash: 'abc', caches: '' },
    { type: 'ready', protocol: 1, buildHash: 'abc', caches: 'AA==,BB==' },
    { type: 'settle', id: 1, isQuick: true, outcome: 'answer', text: '{}' },
    { type: 'settle', id: 1, isQuick: false, outcome: 'crash', text: '' },
    { type: 'yield', id: 1 },
    { type: 'bridge', id: 1, seq: 2, text: '["store.get"]' },
    { type: 'log', id: 1, line: 'x' },
    { type: 'stopped', id: 1 },
  ] as const;
  for (const message of toChild) {
    new FrameReader(1000).push(encodeToChild(message), (frame) =>
      expect(decodeToChild(frame)).toEqual(message),
    );
  }
  for (const message of fromChild) {
    new FrameReader(1000).push(encodeFromChild(message), (frame) =>
      expect(decodeFromChild(frame)).toEqual(message),
    );
  }
});

test('a kind or outcome that no message has is no message', () => {
  expect(decodeFromChild({ kind: 99, id: 0, number: 0, text: '' })).toBeUndefined();
  expect(decodeFromChild({ kind: 2, id: 0, number: 99, text: '' })).toBeUndefined();
});
