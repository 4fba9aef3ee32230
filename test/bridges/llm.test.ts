import { expect, onTestFinished, test } from 'vitest';
import { llmEndpoint, openLlm } from '../../src/bridges/llm.ts';
import { LIMITS } from '../../sdk/limits.ts';
import { localServer } from './web.ts';

function llmAt(port: number): (prompt: string) => Promise<string> {
  const env = {
    SIGNALBOX_LLM_URL: `http://127.0.0.1:${port}/v1/`,
    SIGNALBOX_LLM_MODEL: 'small',
    SIGNALBOX_LLM_KEY: 'k',
  };
  const endpoint = llmEndpoint(env);
  if (endpoint === undefined) throw new Error('no endpoint');
  const { llm, close } = openLlm(endpoint);
  onTestFinished(close);
  return (prompt) => llm(prompt, new AbortController().signal);
}

const said = (content: unknown): string => JSON.stringify({ choices: [{ message: { content } }] });

test('the model is asked as OpenAI clients ask it', async () => {
  const { port, seen } = await localServer((_, response) => response.end(said('It is.')));
  expect(await llmAt(port)('Is it?')).toBe('It is.');
  expect(seen).toMatchObject([
    { method: 'POST', url: '/v1/chat/completions', headers: { authorization: 'Bearer k' } },
  ]);
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    model: 'small',
    messages: [{ role: 'user', content: 'Is it?' }],
  });
});

test.each([
  ['an error', 500, said('x')],
  ['a redirect', 302, said('x')],
  ['no JSON', 200, 'hello'],
  ['no choice', 200, '{"choices":[]}'],
  ['content that is no text', 200, said([{ type: 'text' }])],
  ['a text that is too long', 200, said('x'.repeat(LIMITS.llmAnswerBytes + 1))],
])('%s is no answer', async (_, status, body) => {
  const { port } = await localServer((__, response) => {
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body);
  });
  await expect(llmAt(port)('x')).rejects.toMatchObject({ code: 'unavailable' });
});

test('without a URL and a model there is no endpoint', () => {
  expect(llmEndpoint({})).toBeUndefined();
  expect(llmEndpoint({ SIGNALBOX_LLM_URL: 'http://x' })).toBeUndefined();
  expect(llmEndpoint({ SIGNALBOX_LLM_URL: 'ftp://x', SIGNALBOX_LLM_MODEL: 'm' })).toBeUndefined();
});
