import { readdirSync, readFileSync } from 'node:fs';

/** What a process and its descendants hold at a moment. */
export interface ProcessFigures {
  readonly hostMb: number;
  /** Beside those that lead to its children. */
  readonly hostDescriptors: number;
  /** Its descendants: as many as there are calls to wait for, up to what is allowed. */
  readonly children: number;
  /** Of one of them in the mean; pages that they share are counted for each. */
  readonly childMb: number;
  readonly childDescriptors: number;
}

/** Standard input, output and error. */
const PIPES = 3;

/** Reads the figures of a process; on Linux alone. */
export function figuresOf(pid: number): ProcessFigures {
  const children = descendantsOf(pid);
  return {
    hostMb: residentMb(pid),
    hostDescriptors: descriptors(pid) - PIPES * children.length,
    children: children.length,
    childMb: sum(children.map(residentMb)) / children.length,
    childDescriptors: sum(children.map(descriptors)) / children.length,
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
