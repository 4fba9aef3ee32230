import { printable } from '../../config/printable.ts';
import type { HookRequest } from '../../packages/install/consent.ts';
import type { Change, HookDifference } from '../../packages/install/difference.ts';
import type { PreparedPackage } from '../../packages/install/prepare.ts';
import type { LockedProvenance } from '../../packages/lock/lock-file.ts';
import type { Terminal } from '../terminal.ts';

const REQUEST_HEAD = ['hook', 'points', 'may', 'failPolicy', 'size', 'its bundle imports'];
const DIFFERENCE_HEAD = ['hook', 'change', 'points', 'capabilities', 'size'];

/** Shows what a package is, where it comes from, and what its hooks ask for. */
export function showRequests(
  terminal: Terminal,
  prepared: PreparedPackage,
  requests: readonly HookRequest[],
): void {
  terminal.progress();
  if (terminal.isJson) return;
  terminal.note(originText(prepared));
  for (const { code, message } of prepared.assembly.warnings) {
    terminal.note(`warning ${code}: ${printable(message)}`);
  }
  terminal.table(
    REQUEST_HEAD,
    requests.map(({ hook, points, may, failPolicy, bytes, imports }) => [
      hook,
      points,
      may.length > 0 ? may : ['nothing but look at names and ids'],
      failPolicy,
      sizeText(bytes),
      imports.length > 0 ? imports : ['nothing'],
    ]),
  );
}

/** Shows what is other about the hooks of a new version. */
export function showDifferences(terminal: Terminal, differences: readonly HookDifference[]): void {
  if (terminal.isJson) return;
  terminal.table(
    DIFFERENCE_HEAD,
    differences.map(({ hook, change, points, capabilities, bytes }) => [
      hook,
      change,
      changeText(points),
      changeText(capabilities),
      bytes.before === bytes.after
        ? sizeText(bytes.after)
        : `${sizeText(bytes.before)} → ${sizeText(bytes.after)}`,
    ]),
  );
}

/** Bytes as people read them. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return '?';
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}

function originText({ spec, name, version, fetched }: PreparedPackage): string {
  const lines = [`${name}@${version}`];
  if (fetched === undefined) lines.push('  a folder, used where it is and not locked');
  else {
    lines.push(`  from      ${printable(fetched.resolved ?? spec.entry, 300)}`);
    lines.push(`  integrity ${fetched.integrity}`);
    lines.push(`  signature ${signatureText(fetched.provenance)}`);
    lines.push(`  built     ${attestationText(fetched.provenance)}`);
    if (fetched.deprecated !== undefined) {
      lines.push(
        `  warning   its authors call it deprecated: ${printable(fetched.deprecated, 200)}`,
      );
    }
  }
  return lines.join('\n');
}

function signatureText(provenance: LockedProvenance | undefined): string {
  switch (provenance?.signature) {
    case 'verified':
      return 'of the registry, verified';
    case 'unverified':
      return 'there, and not verified: the registry offers no key for it';
    case 'absent':
    case undefined:
      return 'none';
  }
}

function attestationText(provenance: LockedProvenance | undefined): string {
  switch (provenance?.attestation) {
    case 'verified':
      return `by ${provenance.source ?? 'an attested build'}, verified`;
    case 'unverified':
      return 'attested, and not verified: what it is checked against could not be fetched';
    case 'absent':
    case undefined:
      return 'without provenance: nobody says from what source';
  }
}

function changeText({ added, removed }: Change): readonly string[] {
  const parts = [...added.map((item) => `+${item}`), ...removed.map((item) => `-${item}`)];
  return parts.length > 0 ? parts : ['as before'];
}
