import { parseCapability, type CapabilityName } from '../../sdk/capabilities.ts';
import type { Manifest } from '../../sdk/manifest.ts';
import { POINTS } from '../../sdk/points.ts';

/** What is wrong with a package, or may be. */
export interface Finding {
  /** `error` stops the publication. */
  readonly level: 'error' | 'warning';
  readonly place: string;
  readonly text: string;
}

/** What code looks like that calls a bridge: for certain, and at the least. */
interface Trace {
  readonly certain: RegExp;
  readonly possible: RegExp;
  readonly call: string;
}

/** By capability. The text is that of a bundle: whatever is written in another way is only `possible`. */
const TRACES: Partial<Readonly<Record<CapabilityName, Trace>>> = {
  'store:read': {
    certain: /\bstore\??\.(?:get|query)\(/,
    possible: /\bstore\b[^]*\b(?:get|query)\b/,
    call: 'ctx.store.get or query',
  },
  'store:write': {
    certain: /\bstore\??\.(?:put|delete)\(/,
    possible: /\bstore\b[^]*\b(?:put|delete)\b/,
    call: 'ctx.store.put or delete',
  },
  'net:fetch': { certain: /\bctx\.fetch\(/, possible: /\bfetch\b/, call: 'ctx.fetch' },
  secrets: { certain: /\bctx\.secret\(/, possible: /\bsecret\b/, call: 'ctx.secret' },
  'llm:call': { certain: /\bctx\.llm\(/, possible: /\bllm\b/, call: 'ctx.llm' },
  'emits:events': { certain: /\bctx\.emit\(/, possible: /\bemit\b/, call: 'ctx.emit' },
  injects_context: { certain: /\binject: ?\[/, possible: /\binject\b/, call: 'inject' },
};

const ACTS = /\b(?:block|ask|modify|result|rework|suppress|retry)\b/;

/** Holds what a manifest declares against what its points need and what the bundled code calls. */
export function checkCapabilityUse(manifest: Manifest, code: string, place: string): Finding[] {
  const held = manifest.capabilities.map((text) => ({ text, name: parseCapability(text)?.name }));
  const findings: Finding[] = [];
  const add = (level: Finding['level'], text: string): void =>
    void findings.push({ level, place, text });
  for (const [name, trace] of Object.entries(TRACES)) {
    const declared = held.filter((one) => one.name === name);
    if (declared.length === 0 && trace.certain.test(code)) {
      add('error', `calls ${trace.call} and does not declare "${name}"`);
    }
    if (declared.length > 0 && !trace.possible.test(code)) {
      for (const { text } of declared) add('warning', `declares "${text}" and never uses it`);
    }
  }
  const readable = new Set(manifest.points.map((point) => POINTS[point].reads));
  const gateable = new Set(manifest.points.map((point) => POINTS[point].gates));
  for (const { text, name } of held) {
    if (name?.startsWith('reads_') && !readable.has(name)) {
      add('warning', `declares "${text}", and none of its points has such content`);
    }
    if (name?.startsWith('gates_') && !gateable.has(name)) {
      add('warning', `declares "${text}", and none of its points is of that kind`);
    } else if (name?.startsWith('gates_') && !ACTS.test(code)) {
      add('warning', `declares "${text}" and only ever allows`);
    }
  }
  for (const point of manifest.points) {
    const { reads, content } = POINTS[point];
    const isRead = reads === null || held.some(({ name }) => name === reads);
    const touched = content.find((field) => new RegExp(`\\bpayload\\??\\.${field}\\b`).test(code));
    if (!isRead && touched !== undefined) {
      add('error', `reads payload.${touched} at ${point}, which "${reads}" alone delivers`);
    }
  }
  return findings;
}
