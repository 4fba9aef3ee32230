/** Who has to act on an error. */
export type Blame = 'hook' | 'config' | 'operator' | 'caller' | 'host';

/** One row per code: codes are permanent and are the API. */
export interface ErrorRow {
  readonly blame: Blame;
  /** What could not be done, then the state that stopped it. `{name}` is filled from the error's data. */
  readonly message: string;
  /** The one action that fixes it. */
  readonly hint: string;
}

/** Failures of a hook's run. Each becomes a decision by the hook's failPolicy. */
export const FAILURES = {
  timeout: {
    blame: 'hook',
    message: 'Hook "{hook}" gave no answer within {timeoutMs} ms',
    hint: 'Make the hook faster, or raise hooks.overrides.<hook>.timeoutMs in runtime.json',
  },
  thrown: {
    blame: 'hook',
    message: 'Hook "{hook}" threw: {detail}',
    hint: 'Run "signalbox test --hook {hook}" with the same point and mend the exception',
  },
  memory: {
    blame: 'hook',
    message: 'Hook "{hook}" passed its memory limit',
    hint: 'Make the hook hold less, or raise hooks.overrides.<hook>.memoryMb in runtime.json',
  },
  crash: {
    blame: 'hook',
    message: 'The sandbox of hook "{hook}" died during the call',
    hint: 'Run "signalbox test --hook {hook}" with the same point to see which call ends the process',
  },
  invalid_decision: {
    blame: 'hook',
    message: 'Hook "{hook}" gave an answer that is no decision: {detail}',
    hint: 'Return exactly one of the decisions that the point allows; docs/points.md lists them',
  },
  capability: {
    blame: 'hook',
    message: 'Hook "{hook}" did what its capabilities do not cover: {detail}',
    hint: 'Declare the capability in hook.json and grant it, or take the action out of the hook',
  },
  ungranted: {
    blame: 'operator',
    message: 'Hook "{hook}" declares capabilities that are not granted: {detail}',
    hint: 'Grant them in the package\'s entry of runtime.json, or set "partial": true there',
  },
  load_error: {
    blame: 'hook',
    message: 'Hook "{hook}" could not be loaded: {detail}',
    hint: 'Mend the module; "signalbox test --hook {hook}" shows the same error',
  },
  load_timeout: {
    blame: 'hook',
    message: 'Hook "{hook}" was not loaded within {loadMs} ms',
    hint: 'Take slow work out of the top level of the module, or raise limits.loadMs in runtime.json',
  },
  not_installed: {
    blame: 'operator',
    message: 'Package "{package}" is declared and not installed: {detail}',
    hint: 'Run "signalbox ci" when runtime.lock.json has it, else "signalbox add {package}"',
  },
  package_tampered: {
    blame: 'operator',
    message: 'Package "{package}" differs from what was locked: {detail}',
    hint: 'Find out who changed it; then remove it from packages-cache and run "signalbox ci"',
  },
  untrusted: {
    blame: 'operator',
    message: 'Package "{package}" is refused by the trust policy: {detail}',
    hint: 'Remove the package, or change "trust" in runtime.json',
  },
  payload_size: {
    blame: 'caller',
    message: 'The payload of {point} is larger than {maxBytes} bytes',
    hint: 'Send less, or raise limits.payloadBytes in runtime.json',
  },
  answer_size: {
    blame: 'hook',
    message: 'Hook "{hook}" gave an answer larger than {maxBytes} bytes',
    hint: 'Return only the fields that change',
  },
  unserialisable: {
    blame: 'caller',
    message: 'The payload of {point} has no JSON form: {detail}',
    hint: 'Send plain JSON values, nested at most 256 deep',
  },
  queue_timeout: {
    blame: 'host',
    message: 'Hook "{hook}" could not start within {queueMs} ms',
    hint: 'Lower the load, make the hook faster, or raise limits.queueMs in runtime.json',
  },
  queue_full: {
    blame: 'host',
    message: 'Hook "{hook}" already has {queueLength} calls waiting',
    hint: 'Lower the load, or raise limits.queueLength in runtime.json',
  },
  cancelled: {
    blame: 'caller',
    message: 'The call of hook "{hook}" was cancelled by its caller',
    hint: 'Nothing to mend: the caller ended the turn',
  },
  credit: {
    blame: 'hook',
    message: 'Hook "{hook}" used up its {detail}',
    hint: 'Make fewer bridge calls in one run',
  },
  protocol_mismatch: {
    blame: 'host',
    message: 'The sandbox process speaks another protocol: {detail}',
    hint: 'Delete the folder .signalbox beside runtime.json and start again',
  },
  sandbox_lost: {
    blame: 'host',
    message: 'The sandbox of hook "{hook}" was lost through another call',
    hint: 'Look in the records for the culprit at the same time',
  },
  shadow: {
    blame: 'hook',
    message: 'Hook "{hook}" failed in shadow mode: {detail}',
    hint: 'See the record; enforced calls were not touched',
  },
} as const satisfies Record<string, ErrorRow>;

/** A code of {@link FAILURES}. */
export type FailureCode = keyof typeof FAILURES;

/** Errors that are no failure of a run: bad input, bad configuration, bad requests. */
export const ERRORS = {
  config_missing: {
    blame: 'config',
    message: 'Cannot read "{file}": {detail}',
    hint: 'Create the file, or name another with --config',
  },
  config_syntax: {
    blame: 'config',
    message: 'Cannot parse "{file}" at line {line}, column {column}: {detail}',
    hint: 'Mend the JSON at that place',
  },
  config_invalid: {
    blame: 'config',
    message: 'Invalid "{file}" at line {line}, key "{key}": {detail}',
    hint: 'See the schema of the file: sdk/schemas, or docs/operators.md',
  },
  hook_skipped: {
    blame: 'hook',
    message: 'Hook "{hook}" was skipped: {detail}',
    hint: 'Mend {file}; the other hooks go on without it',
  },
  hook_name_conflict: {
    blame: 'config',
    message: 'Two hooks are named "{hook}": {kept} is kept, {dropped} is not loaded',
    hint: 'Rename one with "as" in its package entry of runtime.json',
  },
  order_conflict: {
    blame: 'config',
    message: 'Hook "{consumer}" runs before "{producer}", whose output "{key}" it reads: {detail}',
    hint: 'Put "{producer}" before "{consumer}" in hooks.order of runtime.json',
  },
  hook_required: {
    blame: 'operator',
    message: 'Required hook "{hook}" is not live: {detail}',
    hint: 'Mend it, or take it out of hooks.required in runtime.json',
  },
  composition: {
    blame: 'config',
    message: 'The hooks of agent "{agent}" cannot be composed: {detail}',
    hint: 'Mend or add the hook, or change "agents" in runtime.json',
  },
  hook_unknown: {
    blame: 'caller',
    message: 'No hook is named "{hook}"',
    hint: '"signalbox hooks" lists the hooks; did you mean "{nearest}"?',
  },
  hook_unmatched: {
    blame: 'config',
    message: '"{key}" of runtime.json names the hook "{hook}", and no hook has that name',
    hint: 'Did you mean "{nearest}"? "signalbox hooks" lists the hooks',
  },
  selector_unmatched: {
    blame: 'config',
    message: 'Selector "{selector}" of package "{package}" matches no hook',
    hint: 'Did you mean "{nearest}"?',
  },
  point_unknown: {
    blame: 'caller',
    message: 'No point is named "{point}"',
    hint: 'docs/points.md lists the points; did you mean "{nearest}"?',
  },
  payload_invalid: {
    blame: 'caller',
    message: 'The payload does not fit {point}: {detail}',
    hint: 'docs/points.md shows the payload of each point',
  },
  package_invalid: {
    blame: 'hook',
    message: 'Package "{package}" cannot be used: {detail}',
    hint: 'A hook package holds hooks/<name>/hook.json and a handler beside it',
  },
  package_fetch: {
    blame: 'operator',
    message: 'Cannot fetch package "{package}": {detail}',
    hint: 'Check the name, the version range and the npm configuration',
  },
  package_bundle: {
    blame: 'hook',
    message: 'Hook "{hook}" of package "{package}" cannot be bundled: {detail}',
    hint: 'A package may import npm modules that need no Node.js; node: modules and native addons are not there',
  },
  lock_invalid: {
    blame: 'config',
    message: 'Cannot use the lock file "{file}": {detail}',
    hint: 'Take runtime.lock.json back from version control; nothing that it locks runs without it',
  },
  lock_mismatch: {
    blame: 'operator',
    message: 'What is there differs from runtime.lock.json: {detail}',
    hint: 'Run "signalbox add" or "signalbox update" for what differs, and look at what changed',
  },
  consent_needed: {
    blame: 'operator',
    message: 'Package "{package}" was not enabled: nobody agreed to {detail}',
    hint: 'Answer on a terminal, or add --grant <capability>... or --grant-all',
  },
  install_failed: {
    blame: 'operator',
    message: 'Package "{package}" could not be installed: {detail}',
    hint: 'Mend that and run the command again; runtime.json, lock and cache are as they were',
  },
  install_busy: {
    blame: 'operator',
    message: 'Another command is changing the packages of "{file}"',
    hint: 'Wait until it has ended; when none runs, remove {lock}',
  },
  package_unknown: {
    blame: 'caller',
    message: 'No package "{package}" is in runtime.json',
    hint: '"signalbox list" shows the packages; did you mean "{nearest}"?',
  },
  awaiting_consent: {
    blame: 'operator',
    message: 'Package "{package}" awaits consent: nothing is granted to it',
    hint: 'Run "signalbox add {package}", or give its entry "grants" in runtime.json',
  },
  conversation_invalid: {
    blame: 'caller',
    message: 'Cannot read "{file}" at line {line}: {detail}',
    hint: 'A recording is JSON lines or a JSON array of {messages: [...]} in OpenAI chat format',
  },
  file_unreadable: {
    blame: 'caller',
    message: 'Cannot read "{file}": {detail}',
    hint: 'Check the path and who may read it',
  },
  json_invalid: {
    blame: 'caller',
    message: 'Cannot parse "{file}" at line {line}, column {column}: {detail}',
    hint: 'Mend the JSON at that place',
  },
  fixture_invalid: {
    blame: 'caller',
    message: 'Cannot use the fixture "{file}": {detail}',
    hint: 'A fixture is {"point", "payload", "context"?, "expect": {"action", "reason"?, "code"?, "payload"?}}',
  },
  fixture_missing: {
    blame: 'caller',
    message: 'Nothing was tested: {detail}',
    hint: 'Put files fixtures/*.json into the folder of the hook, or name a point and a payload',
  },
  file_unwritable: {
    blame: 'caller',
    message: 'Cannot write "{file}": {detail}',
    hint: 'Name a file in a folder that can be written, and no input of the same command',
  },
  row_invalid: {
    blame: 'caller',
    message: 'Cannot load "{file}" at line {line}: {detail}',
    hint: 'Each line is {"key": "...", "value": {...}}; nothing was loaded',
  },
  request_invalid: {
    blame: 'caller',
    message: 'The request is not valid: {detail}',
    hint: 'GET /openapi.json describes every request',
  },
  unauthorised: {
    blame: 'caller',
    message: 'The request carries no valid token',
    hint: 'Send "authorization: Bearer <token>"',
  },
  decision_unknown: {
    blame: 'caller',
    message: 'No decision or fire "{id}" is known',
    hint: 'GET /v1/decisions lists the recorded ones; of others only the newest are kept',
  },
  role_refused: {
    blame: 'caller',
    message: 'The token is one of role "{role}", and this takes "{needed}"',
    hint: 'Use a token of that role; server.tokens in runtime.json lists them',
  },
  rate_limited: {
    blame: 'caller',
    message: 'Too many requests within a minute',
    hint: 'Try again in {seconds} seconds, or raise the limit in server of runtime.json',
  },
  streams_full: {
    blame: 'caller',
    message: 'As many streams of decisions are open as the server holds',
    hint: 'Close one of them and try again',
  },
  token_unusable: {
    blame: 'operator',
    message: 'Token "{token}" of server.tokens has no usable value: {detail}',
    hint: 'Set the variable, or use the line that "signalbox token create" prints',
  },
  host_refused: {
    blame: 'caller',
    message: 'The request names another host than this one',
    hint: 'Call it as 127.0.0.1 or localhost, or set a token',
  },
  origin_refused: {
    blame: 'caller',
    message: 'The request was sent by a page of another origin',
    hint: 'Call it from a program, or from a page of the same origin',
  },
  method_not_allowed: {
    blame: 'caller',
    message: 'The method is not allowed at "{path}"',
    hint: 'Use {allowed}; GET /openapi.json lists every path',
  },
  media_type_unsupported: {
    blame: 'caller',
    message: 'The body is not JSON by its content-type',
    hint: 'Send "content-type: application/json"',
  },
  deadline_passed: {
    blame: 'caller',
    message: 'There was no verdict within {deadlineMs} ms',
    hint: 'Treat the call as not allowed, or send a longer deadlineMs',
  },
  server_stopping: {
    blame: 'host',
    message: 'The server is stopping and takes no more calls',
    hint: 'Treat the call as not allowed, and try again when it has started',
  },
  internal: {
    blame: 'host',
    message: 'The request could not be answered',
    hint: 'The log of the server says why',
  },
  not_found: {
    blame: 'caller',
    message: 'Nothing is at "{path}"',
    hint: 'GET /openapi.json lists every path',
  },
  body_too_large: {
    blame: 'caller',
    message: 'The body is larger than {maxBytes} bytes',
    hint: 'Send less, or raise limits.payloadBytes in runtime.json',
  },
  environment_invalid: {
    blame: 'config',
    message: 'The variable {variable} cannot be used: {detail}',
    hint: 'Correct or unset it; docs/settings.md lists the variables and their values',
  },
  not_ready: {
    blame: 'host',
    message: 'Calls cannot be taken now: {detail}',
    hint: 'Send them elsewhere meanwhile; /healthz says more to operators',
  },
  reload_refused: {
    blame: 'config',
    message: 'The new configuration is not taken over: {detail}',
    hint: 'What ran before still runs; repair it and reload again',
  },
  server_unreachable: {
    blame: 'operator',
    message: 'No server of Signalbox answers at "{url}": {detail}',
    hint: 'Start it with "signalbox start", or name it with --url',
  },
  mode_refused: {
    blame: 'operator',
    message:
      'Hook "{hook}" guards calls, and is not put into shadow mode without force and a reason',
    hint: 'Add --force and --reason; both are recorded with who asked',
  },
  fault_refused: {
    blame: 'operator',
    message: 'No fault is put in the place of hook "{hook}" at work: {detail}',
    hint: 'Try it on copies with "signalbox chaos" without --live, or mend what is in the way',
  },
  bind_refused: {
    blame: 'operator',
    message: 'Will not listen on "{host}" without a token',
    hint: 'Set server.token in runtime.json or SIGNALBOX_TOKEN, or listen on 127.0.0.1',
  },
  listen_failed: {
    blame: 'operator',
    message: 'Cannot listen on {host}, port {port}: {detail}',
    hint: 'Stop what uses the port, or name another with --port (0 takes a free one)',
  },
  console_unavailable: {
    blame: 'operator',
    message: 'The console cannot be shown: {detail}',
    hint: 'Install again, in a checkout with "npm ci" and the development dependencies',
  },
  test_setup: {
    blame: 'caller',
    message: 'The hook cannot be tested so: {detail}',
    hint: 'docs/authors.md says how a test host is opened',
  },
  usage: {
    blame: 'caller',
    message: '{detail}',
    hint: 'Run "signalbox --help", or "signalbox help <command>"',
  },
  runtime_closed: {
    blame: 'caller',
    message: 'The runtime is closed',
    hint: 'Open a new one with openRuntime',
  },
  database: {
    blame: 'host',
    message: 'The database could not {detail}',
    hint: 'Check that the folder of the database can be written and has room',
  },
  result_too_large: {
    blame: 'caller',
    message: 'The query would {detail}',
    hint: 'Narrow the filter',
  },
  approval_unknown: {
    blame: 'caller',
    message: 'No approval has the id "{id}"',
    hint: '"signalbox approvals list" lists the open ones',
  },
  approval_settled: {
    blame: 'caller',
    message: 'Approval "{id}" cannot be answered: it is {status}',
    hint: 'Nothing to do: an answer counts once, and only in time',
  },
  key_unusable: {
    blame: 'operator',
    message: 'Cannot use the key file "{file}": {detail}',
    hint: 'Let its owner alone read it (chmod 600), or remove it; what is still open is then refused',
  },
  payload_key: {
    blame: 'operator',
    message: 'Cannot use the key of the kept payloads: {detail}',
    hint: 'Set {variable}, which records.payloads.key.env names, to the key ("openssl rand -base64 32" makes one)',
  },
  record_unknown: {
    blame: 'caller',
    message: 'No record has the id "{id}"',
    hint: '"signalbox records list" lists them; old ones are deleted by records.retentionDays and maxRows',
  },
  database_damaged: {
    blame: 'operator',
    message: 'The database "{file}" is damaged: {detail}',
    hint: 'Restore the file from a copy, or move it away with its -wal and -shm files: a new one is made',
  },
  model_request: {
    blame: 'host',
    message: 'The model gave no answer: {detail}',
    hint: 'Check the base URL, the key and the name of the model',
  },
  model_answer: {
    blame: 'host',
    message: 'The answer of the model cannot be used: {detail}',
    hint: 'Nothing was kept of it: send the prompt again, or take another model',
  },
  tool_invalid: {
    blame: 'caller',
    message: 'Tool "{tool}" cannot be used: {detail}',
    hint: 'Give it a name of letters, digits, "_" and "-", a JSON Schema as "parameters", and a function "run"',
  },
  tools_unavailable: {
    blame: 'operator',
    message: 'The tools of "{source}" cannot be used: {detail}',
    hint: 'A source is a module that exports "tools", a command of an MCP server, or its URL',
  },
  session_busy: {
    blame: 'caller',
    message: 'Session "{session}" is still at work on another input',
    hint: 'Wait for its answer, or abort it first',
  },
  session_settled: {
    blame: 'caller',
    message: 'Session "{session}" has nothing to go on with',
    hint: 'Its last input has its answer: send another one',
  },
  node_too_old: {
    blame: 'operator',
    message: 'Signalbox needs Node.js 24 or later and was started on {version}',
    hint: 'Install Node.js 24, or use npm scripts of the checkout, which bring their own',
  },
} as const satisfies Record<string, ErrorRow>;

/** A code of {@link ERRORS} or {@link FAILURES}. */
export type ErrorCode = keyof typeof ERRORS | FailureCode;

/** Values that fill the placeholders of a message. Never payload contents or secrets. */
export type ErrorData = Readonly<Record<string, string | number>>;

/** The row of a code. */
export function errorRow(code: ErrorCode): ErrorRow {
  return code in FAILURES ? FAILURES[code as FailureCode] : ERRORS[code as keyof typeof ERRORS];
}

/** Fills the placeholders of a text; one that has no value is left out. */
export function fill(text: string, data: ErrorData): string {
  return text.replace(/\{(\w+)\}/g, (_, key: string) =>
    Object.hasOwn(data, key) ? String(data[key]) : '',
  );
}

/** An error with a permanent code. Errors cross boundaries as `{code, data}` and are told apart by code, never by class. */
export class SignalboxError extends Error {
  readonly code: ErrorCode;
  readonly data: ErrorData;
  readonly hint: string;

  constructor(code: ErrorCode, data: ErrorData = {}) {
    const row = errorRow(code);
    super(fill(row.message, data));
    this.name = 'SignalboxError';
    this.code = code;
    this.data = data;
    this.hint = fill(row.hint, data);
  }

  toJSON(): { code: ErrorCode; message: string; hint: string } {
    return { code: this.code, message: this.message, hint: this.hint };
  }
}
