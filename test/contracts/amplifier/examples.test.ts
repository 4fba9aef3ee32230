import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenes, type Stage } from '../scenes.ts';

/** The examples of the contract's API reference: its Python, as the same module in JavaScript with the same names. */
const HEAD = `let HookResult;\n`;
const mounting = (event: string, name: string, options = '{}'): string => `
export async function mount(coordinator, config) {
  HookResult = coordinator.HookResult;
  coordinator.hooks.register('${event}', ${name}, ${options});
}`;

const LINTER = `import { spawnSync } from 'node:child_process';
${HEAD}
export async function linter_hook(event, data) {
  if (!['Write', 'Edit', 'MultiEdit'].includes(data.tool_name)) return HookResult({ action: 'continue' });
  const file_path = data.tool_input.file_path;
  const result = spawnSync('ruff', ['check', file_path], { encoding: 'utf8' });
  if (result.status !== 0) {
    return HookResult({
      action: 'inject_context',
      context_injection: \`Linter found issues in \${file_path}:\\n\${result.stderr}\`,
      user_message: \`Found linting issues in \${file_path}\`,
      user_message_level: 'warning',
    });
  }
  return HookResult({ action: 'continue' });
}

export async function mount(coordinator, config) {
  HookResult = coordinator.HookResult;
  const registry = coordinator.hooks;
  const unregister = registry.register({ event: 'tool:post', handler: linter_hook, priority: 10, name: 'linter_feedback' });
  return unregister;
}`;

const VALIDATION = `${HEAD}
const validate = (result) => (result.includes('TODO') ? ['a TODO is left'] : []);
const format_errors = (errors) => errors.join('\\n');

async function validation_hook(event, data) {
  const validation_errors = validate(data.tool_result);
  if (validation_errors.length > 0) {
    return HookResult({
      action: 'inject_context',
      context_injection: \`Validation errors:\\n\${format_errors(validation_errors)}\`,
      context_injection_role: 'system',
      user_message: 'Validation found issues',
      user_message_level: 'warning',
      suppress_output: true,
    });
  }
  return HookResult({ action: 'continue' });
}
${mounting('tool:post', 'validation_hook')}`;

const PRODUCTION = `${HEAD}
async function production_protection_hook(event, data) {
  const file_path = data.tool_input.file_path;
  if (file_path.includes('/production/') || file_path.endsWith('.env')) {
    return HookResult({
      action: 'ask_user',
      approval_prompt: \`Allow write to production file: \${file_path}?\`,
      approval_options: ['Allow once', 'Allow always', 'Deny'],
      approval_timeout: 300.0,
      approval_default: 'deny',
      reason: 'Production file requires explicit user approval',
    });
  }
  return HookResult({ action: 'continue' });
}
${mounting('tool:pre', 'production_protection_hook', '{ priority: -10 }')}`;

const PROGRESS = `${HEAD}
async function progress_hook(event, data) {
  const files_processed = data.files_processed ?? 0;
  return HookResult({
    action: 'continue',
    user_message: \`Processed \${files_processed} files\`,
    user_message_level: 'info',
    suppress_output: true,
  });
}
${mounting('files:progress', 'progress_hook')}`;

const COMPREHENSIVE = `${HEAD}
const check_for_issues = ({ critical = [], warnings = [] }) => ({ critical, warnings });
const format_issues = (issues) => issues.join('\\n');

async function comprehensive_hook(event, data) {
  const issues = check_for_issues(data);
  if (issues.critical.length > 0) {
    return HookResult({
      action: 'inject_context',
      context_injection: \`Critical issues:\\n\${format_issues(issues.critical)}\`,
      user_message: \`Found \${issues.critical.length} critical issues\`,
      user_message_level: 'error',
      suppress_output: true,
    });
  } else if (issues.warnings.length > 0) {
    return HookResult({
      action: 'continue',
      user_message: \`Found \${issues.warnings.length} warnings\`,
      user_message_level: 'warning',
      suppress_output: true,
    });
  }
  return HookResult({ action: 'continue' });
}
${mounting('code:checked', 'comprehensive_hook')}`;

const SAFE = `${HEAD}
const do_something = (data) => {
  if (data.broken) throw new Error('the disk is full');
  return { has_issues: data.issues !== undefined, issues: data.issues };
};

async function safe_hook(event, data) {
  try {
    const result = do_something(data);
    if (result.has_issues) {
      return HookResult({
        action: 'inject_context',
        context_injection: \`Issues found: \${result.issues}\`,
        user_message: 'Validation found issues',
      });
    }
    return HookResult({ action: 'continue' });
  } catch (e) {
    console.error(\`Hook failed: \${e}\`);
    return HookResult({ action: 'continue', user_message: \`Hook error: \${e.message}\`, user_message_level: 'error' });
  }
}
${mounting('code:checked', 'safe_hook')}`;

const CAPABLE = `
export async function mount(coordinator, config) {
  const hooks = coordinator.hooks;
  hooks.register('tool:pre', (event, data) => (data.tool_input === null || data.tool_input?.path === undefined
    ? { action: 'deny', reason: 'no path to judge' } : null));
  hooks.register('slow:one', () => { for (;;) {} }, 0, 'endless');
  hooks.register('slow:one', (event, data) => ({ action: 'modify', data: { ...data, reached: true } }), 1, 'next');
  return () => undefined;
}`;

let stage: Stage;
let bin: string;
const { PATH } = process.env;
beforeAll(async () => {
  // A small stand-in for the linter: a file whose name says so has an issue.
  bin = await mkdtemp(join(tmpdir(), 'signalbox-ruff-'));
  const ruff = `#!/bin/sh\ncase "$2" in *bad*) echo "E501 line too long" >&2; exit 1;; esac\n`;
  await writeFile(join(bin, 'ruff'), ruff);
  await chmod(join(bin, 'ruff'), 0o755);
  process.env['PATH'] = `${bin}${delimiter}${PATH ?? ''}`;
  stage = await openScenes('amplifier', {
    linter: { module: LINTER, points: ['postToolUse'], local: true },
    validation: { module: VALIDATION, points: ['postToolUse'] },
    production: { module: PRODUCTION, points: ['preToolUse'] },
    progress: { module: PROGRESS },
    comprehensive: { module: COMPREHENSIVE },
    safe: { module: SAFE },
    conformant: {
      module: CAPABLE,
      points: ['preToolUse', 'event'],
      manifest: { memoryMb: 64, timeoutMs: 300, failPolicy: 'open' },
    },
  });
}, 120_000);
afterAll(async () => {
  process.env['PATH'] = PATH;
  await stage.remove();
  await rm(bin, { recursive: true, force: true });
});

const written = (toolName: string, file_path: string, result: unknown = 'ok'): object => ({
  toolName,
  args: { file_path },
  result,
});

test.each(['Write', 'Edit', 'MultiEdit'])(
  '[AP67] the linter example injects what it found after %s',
  async (tool) => {
    const verdict = await stage.fire('linter', 'postToolUse', written(tool, '/tmp/bad.py'));
    expect(verdict).toMatchObject({
      action: 'allow',
      inject: [
        { content: 'Linter found issues in /tmp/bad.py:\nE501 line too long\n', role: 'system' },
      ],
      notices: [
        {
          text: 'Found linting issues in /tmp/bad.py',
          level: 'warning',
          hook: 'linter/linter_feedback',
        },
      ],
    });
  },
);

test('[AP67] the linter example says nothing of clean files and of other tools', async () => {
  for (const payload of [written('Write', '/tmp/test.py'), written('Read', '/tmp/bad.py')]) {
    expect(await stage.fire('linter', 'postToolUse', payload)).toMatchObject({
      inject: [],
      notices: [],
    });
  }
});

test('[AP67] the validation example injects a note for the model and shows one to the user', async () => {
  const verdict = await stage.fire(
    'validation',
    'postToolUse',
    written('Write', 'a', 'TODO: rest'),
  );
  expect(verdict).toMatchObject({
    inject: [{ content: 'Validation errors:\na TODO is left', role: 'system' }],
    notices: [{ text: 'Validation found issues', level: 'warning' }],
  });
});

test('[AP67] the approval example asks before a write to production', async () => {
  const verdict = await stage.fire('production', 'preToolUse', {
    toolName: 'Write',
    args: { file_path: '/srv/production/app.yaml' },
  });
  expect(verdict).toMatchObject({
    action: 'ask',
    reason: 'Production file requires explicit user approval',
  });
  const { question } = await stage.runtime.approvals.show(verdict.approval?.id ?? '');
  expect(question).toMatchObject({
    prompt: 'Allow write to production file: /srv/production/app.yaml?',
    options: ['Allow once', 'Allow always', 'Deny'],
  });
  const other = { toolName: 'Write', args: { file_path: 'README.md' } };
  expect((await stage.fire('production', 'preToolUse', other)).action).toBe('allow');
});

test('[AP67] the progress example shows a clean message', async () => {
  const verdict = await stage.event('progress', 'files:progress', { files_processed: 3 });
  expect(verdict).toMatchObject({
    action: 'allow',
    notices: [{ text: 'Processed 3 files', level: 'info' }],
  });
});

test('[AP67] the combined example injects what is critical and shows what is not', async () => {
  const critical = await stage.event('comprehensive', 'code:checked', { critical: ['leak'] });
  expect(critical).toMatchObject({
    inject: [{ content: 'Critical issues:\nleak' }],
    notices: [{ text: 'Found 1 critical issues', level: 'error' }],
  });
  const warned = await stage.event('comprehensive', 'code:checked', { warnings: ['long', 'old'] });
  expect(warned).toMatchObject({
    inject: [],
    notices: [{ text: 'Found 2 warnings', level: 'warning' }],
  });
  expect(await stage.event('comprehensive', 'code:checked')).toMatchObject({
    inject: [],
    notices: [],
  });
});

test('[AP66c] the safe example catches its own error, goes on and shows it', async () => {
  const verdict = await stage.event('safe', 'code:checked', { broken: true });
  expect(verdict).toMatchObject({
    action: 'allow',
    notices: [{ text: 'Hook error: the disk is full', level: 'error' }],
  });
  const issues = await stage.event('safe', 'code:checked', { issues: 'two' });
  expect(issues.inject).toMatchObject([{ content: 'Issues found: two' }]);
});

test('[AP66d] a handler can be tested on its own', async () => {
  const file = join(stage.folder, 'hooks/linter/index.mjs');
  const module = (await import(file)) as {
    linter_hook: (
      event: string,
      data: object,
    ) => Promise<{ action: string; context_injection: string }>;
    mount: (coordinator: object) => Promise<unknown>;
  };
  const registered: unknown[] = [];
  const cleanup = await module.mount({
    HookResult: (fields: object) => fields,
    hooks: { register: (given: unknown) => (registered.push(given), () => undefined) },
  });
  expect(registered).toMatchObject([{ event: 'tool:post', priority: 10, name: 'linter_feedback' }]);
  expect(cleanup).toBeTypeOf('function');
  const result = await module.linter_hook('tool:post', {
    tool_name: 'Write',
    tool_input: { file_path: '/tmp/bad.py' },
    tool_result: { success: true },
  });
  expect(result).toMatchObject({ action: 'inject_context', user_message_level: 'warning' });
  expect(result.context_injection).toContain('Linter found issues');
});

test('[AP66b] the reason of a denial is what the agent is told', async () => {
  const verdict = await stage.fire('conformant', 'preToolUse', { toolName: 'a', args: {} });
  expect(verdict).toMatchObject({ action: 'block', reason: 'no path to judge' });
});

test('[AP66e] a hook that checks its data denies what it cannot judge, and malformed data crashes nothing', async () => {
  const fire = (args: object) => stage.fire('conformant', 'preToolUse', { toolName: 'a', args });
  expect((await fire({})).action).toBe('block');
  expect((await fire({ path: null })).action).toBe('allow');
});

test('[AP26] [AP61] a handler that never ends is stopped at its cap, and the chain goes on', async () => {
  const verdict = await stage.event('conformant', 'slow:one');
  expect(verdict.trace[0]).toMatchObject({ hook: 'conformant/endless', code: 'timeout' });
  expect(verdict.payload.data).toEqual({ reached: true });
  const row = stage.runtime.inventory().hooks.find(({ hook }) => hook === 'conformant');
  expect(row).toMatchObject({ memoryMb: 64, timeoutMs: 300 });
});
