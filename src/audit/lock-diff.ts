import { shortfall } from '../../sdk/capabilities.ts';
import type { LockedHook, LockedPackage, LockFile } from '../packages/lock/lock-file.ts';

/** One difference between two lock files. */
export interface LockChange {
  readonly package: string;
  /** Empty where it is about the package as a whole. */
  readonly hook: string;
  readonly what: string;
  /** Whether code may do more than before, or less is known of it: what a reviewer must not pass over. */
  readonly isRisk: boolean;
}

/** What the second lock changes of the first, by package and hook. Capabilities are compared by what they cover. */
export function diffLocks(before: LockFile, after: LockFile): readonly LockChange[] {
  const names = namesOf(before.packages, after.packages);
  return names.flatMap((name) => {
    const [from, to] = [own(before.packages, name), own(after.packages, name)];
    const of = (what: string, isRisk = false): LockChange => ({
      package: name,
      hook: '',
      what,
      isRisk,
    });
    if (to === undefined) return from === undefined ? [] : [of(`${from.version} was removed`)];
    if (from === undefined) {
      const { capabilities } = to.consent;
      return [
        of(`${to.version} was added with ${capabilities.join(', ') || 'no capability'}`, true),
      ];
    }
    return [
      ...packageChanges(from, to).map(([what, isRisk]) => of(what, isRisk)),
      ...hookChanges(name, from, to),
    ];
  });
}

type Said = readonly [what: string, isRisk: boolean];

function packageChanges(from: LockedPackage, to: LockedPackage): Said[] {
  const said: Said[] = [];
  if (from.version !== to.version) said.push([`${from.version} became ${to.version}`, false]);
  else if (from.integrity !== to.integrity || from.bundle !== to.bundle) {
    said.push([`${to.version} has other bytes than before`, true]);
  }
  if (from.resolved !== to.resolved && from.version === to.version) {
    said.push([
      `it comes from ${to.resolved ?? 'nowhere'}, not ${from.resolved ?? 'nowhere'}`,
      true,
    ]);
  }
  const [old, fresh] = [from.consent.capabilities, to.consent.capabilities];
  const more = shortfall(fresh, old);
  const less = shortfall(old, fresh);
  if (more.length > 0) said.push([`${more.join(', ')} granted by ${to.consent.by}`, true]);
  if (less.length > 0) said.push([`${less.join(', ')} no longer granted`, false]);
  for (const key of ['signature', 'attestation'] as const) {
    const [was, is] = [from.provenance?.[key] ?? 'absent', to.provenance?.[key] ?? 'absent'];
    if (was !== is) said.push([`${key} was ${was} and is ${is}`, was === 'verified']);
  }
  const [source, other] = [from.provenance?.source, to.provenance?.source];
  if (source !== undefined && source !== other) {
    said.push([`it was built from ${source}, and now from ${other ?? 'an unknown source'}`, true]);
  }
  return [...said, ...dependencyChanges(from, to)];
}

function dependencyChanges(from: LockedPackage, to: LockedPackage): Said[] {
  const [old, fresh] = [from.dependencies ?? {}, to.dependencies ?? {}];
  return namesOf(old, fresh).flatMap((place): Said[] => {
    const [was, is] = [own(old, place), own(fresh, place)];
    if (was === undefined) return [[`${place} ${is?.version ?? ''} is bundled into it`, true]];
    if (is === undefined) return [[`${place} ${was.version} is no longer bundled into it`, false]];
    if (was.version !== is.version)
      return [[`${place} ${was.version} became ${is.version}`, false]];
    return was.integrity === is.integrity ? [] : [[`${place} ${is.version} has other bytes`, true]];
  });
}

function hookChanges(name: string, from: LockedPackage, to: LockedPackage): LockChange[] {
  return namesOf(from.hooks, to.hooks).flatMap((hook) => {
    const [was, is] = [own(from.hooks, hook), own(to.hooks, hook)];
    return changesOf(was, is).map(([what, isRisk]) => ({ package: name, hook, what, isRisk }));
  });
}

function changesOf(was: LockedHook | undefined, is: LockedHook | undefined): Said[] {
  if (is === undefined) return [['the hook was removed', true]];
  if (was === undefined) {
    return [
      [
        `the hook was added at ${is.points.join(', ')} and asks for ${is.capabilities.join(', ') || 'nothing'}`,
        true,
      ],
    ];
  }
  const said: Said[] = [];
  const more = shortfall(is.capabilities, was.capabilities);
  const less = shortfall(was.capabilities, is.capabilities);
  if (more.length > 0) said.push([`it asks for ${more.join(', ')}`, true]);
  if (less.length > 0) said.push([`it no longer asks for ${less.join(', ')}`, false]);
  const bound = is.points.filter((point) => !was.points.includes(point));
  const left = was.points.filter((point) => !is.points.includes(point));
  if (bound.length > 0) said.push([`it is bound to ${bound.join(', ')}`, false]);
  // A guard that leaves a point guards it no more.
  if (left.length > 0) said.push([`it is no longer bound to ${left.join(', ')}`, true]);
  if (was.failPolicy !== is.failPolicy) {
    const what = `its failPolicy was ${was.failPolicy ?? 'the default'} and is ${is.failPolicy ?? 'the default'}`;
    said.push([what, is.failPolicy === 'open']);
  }
  return said;
}

function namesOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
}

/** A package may well be called `constructor`. */
function own<T>(map: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
