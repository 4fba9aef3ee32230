import type ivm from 'isolated-vm';
import { FrameReader, type Frame } from '../frames.ts';
import {
  decodeToChild,
  encodeFromChild,
  MAX_TO_CHILD_BYTES,
  PROTOCOL,
  QUICK_MS,
  type FromChild,
  type RunType,
  type ToChild,
} from '../messages.ts';
import { receive, transmit } from './channel.ts';
import { captureKill, lockDown } from './lock.ts';
import { PLAIN_ALLOW } from '../../sdk/decisions.ts';
import { LIMITS } from '../../sdk/limits.ts';
import { readyGuest } from './guest-scripts.ts';
import { createPlace, type Place, type Segment } from './places.ts';

// The entry of a package's process: argv holds the paths of the addon and, where it is there, of the guest's code caches.
const die = captureKill();
const [addon = '', cacheFile] = process.argv.slice(2);
const engine = loadEngine(addon);
const guest = readyGuest(engine, cacheFile);
const kept = lockDown();
const places = new Map<number, Place>();
/** Whether the next run in line may follow the last one. */
const line = { isOpen: false, hasAsked: false };
/** Which place an activity runs in. */
const placeOf = new Map<number, number>();

// The first look at `performance` would load eleven of Node's modules, in the middle of a call.
const now = process.hrtime.bigint;
const QUICK_NS = BigInt(QUICK_MS * 1e6);

const send = (message: FromChild): void => transmit(encodeFromChild(message));

const events = {
  bridge(id: number, seq: number, text: string): void {
    line.hasAsked = true;
    send({ type: 'bridge', id, seq, text });
  },
  log: (id: number, line: string): void => send({ type: 'log', id, line }),
};

/**
 * The first isolate of a process costs twice the next one: it is made ahead, so that no call waits for it, and taken by
 * the first hook that has the usual room.
 */
const stock = [createPlace(engine, guest.scripts, { memoryMb: LIMITS.memoryMb, events })];

function newPlace(memoryMb: number): Place {
  const ready = stock.pop();
  if (memoryMb === LIMITS.memoryMb && ready !== undefined) return ready;
  ready?.dispose();
  return createPlace(engine, guest.scripts, { memoryMb, events });
}

/** Loads the addon past its own loader, which would look for it in folders that this process may not read. */
function loadEngine(file: string): typeof ivm {
  const module = { exports: {} as { ivm: typeof ivm } };
  process.dlopen(module, file);
  return module.exports.ivm;
}

function take(message: ToChild): void {
  switch (message.type) {
    case 'open': {
      const place = newPlace(message.hook.memoryMb);
      places.set(message.place, place);
      placeOf.set(message.id, message.place);
      return end(message.id, place.open(message.id, message.hook));
    }
    case 'run':
      return run(message);
    case 'next':
      return line.isOpen ? run(message) : leaveOut(message);
    case 'behind':
      return isWaiting(message.place) ? leaveOut(message) : run(message);
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

/**
 * Runs a hook. The next in line may follow if this one was quick, which is below every cap, plainly let pass and asked the
 * host for nothing.
 */
function run({ id, place, ops, input }: ToChild & { readonly type: RunType }): void {
  placeOf.set(id, place);
  line.hasAsked = false;
  const startedAt = now();
  const segment = places.get(place)?.run(id, ops, input) ?? waiting(place);
  const isQuick = !line.hasAsked && now() - startedAt < QUICK_NS;
  line.isOpen = isQuick && segment?.outcome === 'answer' && segment.text === PLAIN_ALLOW;
  end(id, segment, isQuick);
}

function leaveOut({ id }: { readonly id: number }): void {
  line.isOpen = false;
  send({ type: 'unrun', id });
}

/** Whether an activity has yet to end in a place. */
function isWaiting(place: number): boolean {
  for (const taken of placeOf.values()) if (taken === place) return true;
  return false;
}

/** A run in a place that is gone can only be an error of the host's own books. */
function waiting(place: number): Segment {
  return places.has(place) ? undefined : { outcome: 'crash', text: '' };
}

function end(id: number, segment: Segment, isQuick = false): void {
  if (segment === undefined) return send({ type: 'yield', id });
  placeOf.delete(id);
  send({ type: 'settle', id, isQuick, outcome: segment.outcome, text: segment.text });
}

function drop(place: number): void {
  places.get(place)?.dispose();
  places.delete(place);
}

send({
  type: 'ready',
  protocol: PROTOCOL,
  buildHash: kept.length === 0 ? BUILD_HASH : kept.join(','),
  caches: guest.made,
});

const reader = new FrameReader(MAX_TO_CHILD_BYTES);
receive((chunk) => reader.push(chunk, takeFrame), die);

function takeFrame(frame: Frame): void {
  const message = decodeToChild(frame);
  if (message === undefined) die();
  else take(message);
}
