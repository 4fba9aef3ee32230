import type { CapabilityName } from '../../sdk/capabilities.ts';
import type { Manifest } from '../../sdk/manifest.ts';

/** What code looks like that needs a capability: for certain, and at the least. */
interface Trace {
  readonly capability: CapabilityName;
  readonly certain: RegExp;
  /** Without it, a declaration is never too much. */
  readonly possible?: RegExp;
  readonly call: string;
}

/** How hooks of a contract are read. The text is that of a bundle: whatever is written in another way is only `possible`. */
export interface Traces {
  readonly bridges: readonly Trace[];
  /** What any code that acts says; absent where what a function returns does not show it. */
  readonly acts?: RegExp;
}

/** The bridges of `ctx`, which hooks of most contracts are given too. */
const BRIDGES: readonly Trace[] = [
  {
    capability: 'store:read',
    certain: /\bstore\??\.(?:get|query)\(/,
    possible: /\bstore\b[^]*\b(?:get|query)\b/,
    call: 'ctx.store.get or query',
  },
  {
    capability: 'store:write',
    certain: /\bstore\??\.(?:put|delete)\(/,
    possible: /\bstore\b[^]*\b(?:put|delete)\b/,
    call: 'ctx.store.put or delete',
  },
  {
    capability: 'net:fetch',
    certain: /\bctx\.fetch\(/,
    possible: /\bfetch\b/,
    call: 'ctx.fetch',
  },
  {
    capability: 'secrets',
    certain: /\bctx\.secret\(/,
    possible: /\bsecret\b/,
    call: 'ctx.secret',
  },
  { capability: 'llm:call', certain: /\bctx\.llm\(/, possible: /\bllm\b/, call: 'ctx.llm' },
];

const EMITS: Trace = {
  capability: 'emits:events',
  certain: /\bctx\.emit\(/,
  possible: /\bemit\b/,
  call: 'ctx.emit',
};

/** By contract, in its own words. */
export const TRACES_BY_CONTRACT: Readonly<Record<Manifest['contract'], Traces>> = {
  signalbox: {
    bridges: [
      ...BRIDGES,
      EMITS,
      {
        capability: 'injects_context',
        certain: /\binject: ?\[/,
        possible: /\binject\b/,
        call: 'inject',
      },
    ],
    acts: /\b(?:block|ask|modify|result|rework|suppress|retry)\b/,
  },
  amplifier: {
    bridges: [
      ...BRIDGES,
      {
        capability: 'emits:events',
        certain: /\bhooks\.emit(?:_and_collect)?\(/,
        possible: /\bemit(?:_and_collect)?\b/,
        call: 'hooks.emit',
      },
      {
        capability: 'injects_context',
        certain: /\bcontext_injections?: ?[^n\s]/,
        possible: /\b(?:inject_context|context_injections?)\b/,
        call: 'context_injection',
      },
    ],
    acts: /\b(?:deny|modify|ask_user)\b/,
  },
  'agent-os': {
    bridges: [
      ...BRIDGES,
      EMITS,
      {
        capability: 'injects_context',
        certain: /\breturn \{\s*context:/,
        possible: /\bcontext\b/,
        call: 'the outcome field context',
      },
    ],
    acts: /\b(?:deny|args|result|content|is_error|message|answer|response|rework|suppress|summary|keep|messages|text|abort|delay_ms|model)\b/,
  },
  'standard-agents': {
    bridges: [
      {
        capability: 'injects_context',
        certain: /\.injectMessage\(/,
        possible: /\binjectMessage\b/,
        call: 'state.injectMessage',
      },
      {
        capability: 'reads_context',
        certain: /\.loadAgent\(|\.execution\.messageHistory\b/,
        call: 'state.loadAgent or execution.messageHistory',
      },
    ],
  },
  harness: {
    bridges: [],
    acts: /\b(?:authorize|mockResult|steer|beforeProviderCall|afterToolExecution|before_provider_call|after_tool_execution)\b/,
  },
};
