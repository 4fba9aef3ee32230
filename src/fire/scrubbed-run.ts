import type { SecretPort } from '../../host/bridges.ts';
import type { CallResult } from '../../host/sandbox.ts';

/** Fields of a decision that people read and records keep. What a hook hands to a tool may well be a secret. */
const SAID = ['reason', 'note', 'prompt', 'feedback'] as const;

/**
 * Takes secrets that were handed out from what a run says: its log lines, its error and the reasons of its answer. A hook
 * that encodes a secret in its own way gets past; a hook that quotes one by mistake does not.
 */
export function scrubRun(result: CallResult, secrets: SecretPort | undefined): CallResult {
  if (secrets === undefined) return result;
  const said = result.ok ? result.answer : result.detail;
  const isClean = [said, ...result.logs].every((text) => secrets.scrub(text) === text);
  // Nearly every run: no secret was handed out, or none is told.
  if (isClean) return result;
  const logs = result.logs.map((line) => secrets.scrub(line));
  if (!result.ok) return { ...result, logs, detail: secrets.scrub(result.detail) };
  return { ...result, logs, answer: scrubAnswer(result.answer, secrets) };
}

function scrubAnswer(text: string, secrets: SecretPort): string {
  try {
    const answer = JSON.parse(text) as unknown;
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return text;
    const said = answer as Record<string, unknown>;
    for (const key of SAID) {
      const value = said[key];
      if (typeof value === 'string') said[key] = secrets.scrub(value);
    }
    const { notice } = said;
    if (typeof notice === 'object' && notice !== null && 'text' in notice) {
      said['notice'] = { ...notice, text: scrubbed(notice.text, secrets) };
    }
    return JSON.stringify(said);
  } catch {
    // It is no JSON: the parser of decisions says so, and quotes nothing of it.
    return text;
  }
}

function scrubbed(value: unknown, secrets: SecretPort): unknown {
  return typeof value === 'string' ? secrets.scrub(value) : value;
}
