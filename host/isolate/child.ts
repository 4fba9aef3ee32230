import type ivm from 'isolated-vm';
import preludeText from 'signalbox:prelude';
import { BUILD_HASH } from 'signalbox:build';
import { FrameReader } from '../frames.ts';
import {
  decodeToChild,
  encodeFromChild,
  MAX_TO_CHILD_BYTES,
  PROTOCOL,
  type FromChild,
  type ToChild,
} from '../messages.ts';
import { captureKill, lockDown } from './lock.ts';
import { createPlace, type Place, type Prelude, type Segment } from './places.ts';

// The entry of a package's process: argv holds the path of the addon.
const die = captureKill();
const engine = loadEngine(process.argv[2] ?? '');
const output = process.stdout;
const input = process.stdin;
const kept = lockDown();
const prelude: Prelude = { text: preludeText };
const places = new Map<number, Place>();
/** Which place an activity runs in. */
const placeOf = new Map<number, number>();

const send = (message: FromChild): void => void output.write(encodeFromChild(message));

const events = {
  bridge: (id: number, seq: number, text: string): void => send({ type: 'bridge', id, seq, text }),
  log: (id: number, line: string): void => send({ type: 'log', id, line }),
  catastrophe: die,
};

/** Loads the addon past its own loader, which would look for it in folders that this process may not read. */
function loadEngine(file: string): typeof ivm {
  const module = { exports: {} as { ivm: typeof ivm } };
  process.dlopen(module, file);
  return module.exports.ivm;
}

function take(message: ToChild): void {
  switch (message.type) {
    case 'open': {
      const place = createPlace(engine, prelude, { memoryMb: message.hook.memoryMb, events });
      places.set(message.place, place);
      placeOf.set(message.id, message.place);
      return end(message.id, place.open(message.id, message.hook));
    }
    case 'run':
      placeOf.set(message.id, message.place);
      return end(
        message.id,
        places.get(message.place)?.run(message.id, message.ops, message.input) ??
          waiting(message.place),
      );
    case 'deliver': {
      const place = places.get(placeOf.get(message.id) ?? 0);
      return end(message.id, place?.deliver(message.id, message.seq, message.text));
    }
    case 'cancel':
      drop(message.place);
      placeOf.delete(message.id);
      return send({ type: 'stopped', id: message.id });
    case 'drop':
      return drop(message.place);
  }
}

/** A run in a place that is gone can only be an error of the host's own books. */
function waiting(place: number): Segment {
  return places.has(place) ? undefined : { outcome: 'crash', text: '' };
}

function end(id: number, segment: Segment): void {
  if (segment === undefined) return send({ type: 'yield', id });
  placeOf.delete(id);
  send({ type: 'settle', id, outcome: segment.outcome, text: segment.text });
}

function drop(place: number): void {
  places.get(place)?.dispose();
  places.delete(place);
}

const reader = new FrameReader(MAX_TO_CHILD_BYTES);
input.on('data', (chunk: Buffer) => {
  const isWhole = reader.push(chunk, (frame) => {
    const message = decodeToChild(frame);
    if (message === undefined) die();
    else take(message);
  });
  if (!isWhole) die();
});
input.on('end', die);
output.on('error', die);

// The first isolate of a process costs twice the next one: made here, so that no call waits for it.
createPlace(engine, prelude, { memoryMb: 8, events }).dispose();
send({
  type: 'ready',
  protocol: PROTOCOL,
  buildHash: kept.length === 0 ? BUILD_HASH : kept.join(','),
});
