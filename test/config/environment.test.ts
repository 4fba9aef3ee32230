import { expect, test } from 'vitest';
import { ENVIRONMENT, withEnvironment } from '../../src/config/environment.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { RUNTIME_SCHEMA } from '../../sdk/runtime-schema.ts';

/** A value of each form that fits every bound of the settings. */
const sampleOf = ({ schema }: (typeof ENVIRONMENT)[number]): string => {
  const form = schema.anyOf?.[0] ?? schema;
  if (schema.enum !== undefined) return String(schema.enum.at(-1));
  if (form.type === 'boolean') return 'true';
  return form.type === 'string' ? 'some-text' : String(form.minimum ?? 1);
};

test.each(ENVIRONMENT)('$variable stands for $part.$key', (setting) => {
  const { variable, part, key } = setting;
  const text = sampleOf(setting);
  const given = withEnvironment({ [part]: { [key]: 'other' } }, { [variable]: text });
  const section = given[part] as Readonly<Record<string, unknown>>;
  expect(String(section[key])).toBe(text);
  expect(parseConfig('{}', '/x/runtime.json', { [variable]: text })).toBeDefined();
});

test('every limit, and each plain setting of the server and of the files, has a variable', () => {
  const named = ENVIRONMENT.map(({ part, key }) => `${part}.${key}`);
  for (const key of Object.keys(RUNTIME_SCHEMA.properties.limits.properties)) {
    expect(named).toContain(`limits.${key}`);
  }
  expect(named).toEqual(
    expect.arrayContaining([
      'server.host',
      'server.port',
      'server.token',
      'records.file',
      'store.file',
    ]),
  );
  expect(new Set(ENVIRONMENT.map(({ variable }) => variable)).size).toBe(ENVIRONMENT.length);
  expect(ENVIRONMENT.find(({ key }) => key === 'queueMs')?.variable).toBe(
    'SIGNALBOX_LIMITS_QUEUE_MS',
  );
});

test('a variable wins over the file and leaves its neighbours alone; an empty one is none', () => {
  const text = '{"server": {"host": "10.0.0.1", "port": 1}, "limits": {"rssMb": 100}}';
  const env = {
    SIGNALBOX_SERVER_PORT: '8080',
    SIGNALBOX_LIMITS_RSS_MB: 'none',
    SIGNALBOX_STORE_FILE: '',
  };
  const config = parseConfig(text, '/x/runtime.json', env);
  expect(config.server).toMatchObject({ host: '10.0.0.1', port: 8080 });
  expect(config.limits.rssMb).toBeNull();
  expect(config.store.file).toBe('/x/.signalbox/store.db');
});

test.each([
  ['SIGNALBOX_SERVER_PORT', '80a'],
  ['SIGNALBOX_SERVER_PORT', '70000'],
  ['SIGNALBOX_SERVER_PORT', 'none'],
  ['SIGNALBOX_LIMITS_QUEUE_MS', '-1'],
  ['SIGNALBOX_LIMITS_QUEUE_MS', 'Infinity'],
  ['SIGNALBOX_TELEMETRY_TRACES', 'yes'],
  ['SIGNALBOX_RECORDS_REASONS', 'all'],
])('%s=%s is refused by name, without its value', (variable, value) => {
  const parse = (): unknown => parseConfig('{}', '/x/runtime.json', { [variable]: value });
  expect(parse).toThrow(expect.objectContaining({ code: 'environment_invalid' }));
  expect(parse).toThrow(variable);
});
