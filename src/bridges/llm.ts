import { Agent } from 'undici';
import { BridgeError, type LlmPort } from '../../host/bridges.ts';
import { LIMITS } from '../../sdk/limits.ts';
import { readText } from './body.ts';

/** The model that hooks may ask. */
export interface LlmEndpoint {
  /** Base URL of an OpenAI-compatible API, such as `https://api.openai.com/v1`. */
  readonly url: URL;
  readonly model: string;
  readonly key: string | undefined;
}

/** An llm port and its end. The maker closes it. */
export interface OpenLlm {
  readonly llm: LlmPort;
  close(): Promise<void>;
}

/** The endpoint that the environment names, or `undefined`: SIGNALBOX_LLM_URL, SIGNALBOX_LLM_MODEL, SIGNALBOX_LLM_KEY. */
export function llmEndpoint(
  env: Readonly<Record<string, string | undefined>>,
): LlmEndpoint | undefined {
  const url = URL.parse(env['SIGNALBOX_LLM_URL'] ?? '');
  const model = env['SIGNALBOX_LLM_MODEL'];
  if (url === null || !/^https?:$/.test(url.protocol) || model === undefined) return undefined;
  return { url, model, key: env['SIGNALBOX_LLM_KEY'] };
}

/** Asks a model. No redirect is followed, since the key must not go elsewhere. */
export function openLlm({ url, model, key }: LlmEndpoint): OpenLlm {
  const agent = new Agent({
    headersTimeout: LIMITS.maxTimeoutMs,
    bodyTimeout: LIMITS.maxTimeoutMs,
  });
  const path = `${url.pathname.replace(/\/$/, '')}/chat/completions${url.search}`;
  return {
    async llm(prompt, signal) {
      const { statusCode, headers, body } = await agent.request({
        origin: url.origin,
        path,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'accept-encoding': 'identity',
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] }),
        signal,
      });
      const encoding = headers['content-encoding'];
      const text = await readText(
        body,
        typeof encoding === 'string' ? { 'content-encoding': encoding } : {},
      );
      const answer = statusCode === 200 ? contentOf(text) : undefined;
      if (answer === undefined) throw new BridgeError('unavailable', 'The model gave no answer');
      return answer;
    },
    close: () => agent.destroy(),
  };
}

/** The text of the first choice; a model's answer is as untrusted as any other text. */
function contentOf(text: string): string | undefined {
  try {
    const { choices } = JSON.parse(text) as {
      readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[];
    };
    const content = choices?.[0]?.message?.content;
    if (typeof content !== 'string') return undefined;
    return Buffer.byteLength(content) > LIMITS.llmAnswerBytes ? undefined : content;
  } catch {
    return undefined;
  }
}
