import {
  allow,
  block,
  defineHook,
  mapStrings,
  modify,
  replaceSpans,
  type Span,
} from '@signalbox/sdk';

/** What secrets look like; the shapes are those that their issuers publish. */
const SHAPES = [
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[^-]*(?:-----END (?:[A-Z]+ )?PRIVATE KEY-----)?/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{60,255}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bsk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{32,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\b[rs]k_(?:live|test)_[0-9A-Za-z]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
];

/** `password=…` and the like: the value alone is the secret. */
const ASSIGNED =
  /\b(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)["']?\s{0,4}[:=]\s{0,4}["']?([^\s"',;]{8,200})/gi;

interface Config {
  /** What becomes of a tool call with a secret in its arguments. */
  readonly input?: 'block' | 'redact';
}

export function createHook({ input = 'block' }: Config = {}) {
  return defineHook({
    points: ['preToolUse', 'postToolUse', 'preOutput'],
    capabilities: ['reads_tool_io', 'gates_tools', 'reads_output', 'gates_output'],
    run(point, payload) {
      if (point === 'preOutput') {
        const text = redact(payload.text);
        return text === payload.text ? allow() : modify({ text }, 'a secret was taken out');
      }
      if (point === 'postToolUse') {
        const result = redact(payload.result);
        return result === payload.result ? allow() : modify({ result }, 'a secret was taken out');
      }
      const args = redact(payload.args);
      if (args === payload.args) return allow();
      if (input === 'redact') return modify({ args }, 'a secret was taken out');
      return block('The arguments hold what looks like a key or a token');
    },
  });
}

function redact<T>(value: T): T {
  return mapStrings(value, (text) => replaceSpans(text, findSecrets(text), '[SECRET]'));
}

function findSecrets(text: string): Span[] {
  const shaped = SHAPES.flatMap((shape) =>
    [...text.matchAll(shape)].map(({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
    })),
  );
  const assigned = [...text.matchAll(ASSIGNED)].flatMap(({ 0: found, 1: value = '', index }) => {
    // "password: required" and "${PASSWORD}" are no secrets.
    if (/^[$<{[]/.test(value) || !/\d/.test(value)) return [];
    const end = index + found.length;
    return [{ start: end - value.length, end }];
  });
  return [...shaped, ...assigned];
}
