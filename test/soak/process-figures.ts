import { readdirSync, readFileSync } from 'node:fs';

/** What a process and its descendants hold at a moment. */
export interface ProcessFigures {
  readonly hostMb: number;
  /** Of all descendants together; pages that they share are counted for each. */
  readonly childrenMb: number;
  readonly hostDescriptors: number;
  readonly childDescriptors: number;
}

/** Reads the figures of a process; on Linux alone. */
export function figuresOf(pid: number): ProcessFigures {
  const children = descendantsOf(pid);
  return {
    hostMb: residentMb(pid),
    childrenMb: sum(children.map(residentMb)),
    hostDescriptors: descriptors(pid),
    childDescriptors: sum(children.map(descriptors)),
  };
}

function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1] ?? 0);
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const below = (parent: number): number[] =>
    (parents.get(parent) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1];
  return Number(kb ?? 0) / 1024;
}

function descriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
