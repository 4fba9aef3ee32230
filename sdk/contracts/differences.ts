/** Something that a hook of another system meets here and did not there, on purpose. */
export interface Difference {
  /** The features that it is about. */
  readonly ids: readonly string[];
  readonly differs: string;
  readonly why: string;
  /** What the author of such a hook loses. */
  readonly loses: string;
}

/** The deliberate differences, fifteen at the most over all systems. */
export const DIFFERENCES: readonly Difference[] = [
  {
    ids: ['AP13b', 'AP18', 'AP32', 'AP34'],
    differs:
      'Its hazards are not reproduced: changed data stays when another handler asks or injects, a merged injection keeps its other fields, handlers of one name stay apart, and the wildcard `*`, which never fired, is an error at load.',
    why: 'They lose what a guard did without a word.',
    loses: 'Nothing that worked.',
  },
  {
    ids: ['AP12', 'AP13'],
    differs:
      'Injections of several handlers reach the model one by one, each with its own role and retention, instead of as one text with a blank line between.',
    why: 'Hooks of several packages meet at one event: merged, the first would decide for all, and nobody could tell whose text it is. `emit` within one module merges as before.',
    loses: 'One message in place of several.',
  },
  {
    ids: ['AP26', 'AO31'],
    differs: 'Every handler has a cap, 1500 ms unless its manifest asks for more and gets it.',
    why: 'A guard that hangs must not hang the agent.',
    loses: 'Handlers that wait for minutes: they return `ask_user` instead.',
  },
  {
    ids: ['AP27', 'AP28'],
    differs:
      "`emit` and `emit_and_collect` give the answers of the hook's own handlers; other hooks hear the event afterwards.",
    why: 'A run that waits for other sandboxes could be held up by any of them, and read what they think.',
    loses: "Reading other packages' answers to an event.",
  },
  {
    ids: ['AP29', 'AP61', 'AP62'],
    differs:
      'Handlers are JavaScript modules: neither WASM components nor hooks behind gRPC run, and their limits are those of every hook. An unknown action denies.',
    why: 'One kind of sandbox is enough to hold, and one that lets unknown answers pass is none.',
    loses: 'A module built for these has to be written as `mount(coordinator, config)`.',
  },
  {
    ids: ['AP33', 'AP64'],
    differs:
      'Handlers are registered while `mount` runs, and the cleanup that it returns is not called.',
    why: 'The chain is made, ordered and shown to the operator before anything happens; a sandbox is thrown away whole.',
    loses:
      'Handlers that come and go while an agent runs (removing one works), and a last word at the end.',
  },
  {
    ids: ['AP46'],
    differs:
      '`ask_user` asks at `tool:pre`, `tool:post`, `prompt:submit`, `provider:request` and `llm:request`; at other events that can be stopped it denies.',
    why: 'Nobody waits there for a person.',
    loses:
      'A question about an event of its own: the hook asks at the call that the event is about.',
  },
  {
    ids: ['AP45b', 'AP45c'],
    differs:
      'The reference loop sends every request whole: nothing ephemeral stays with a provider.',
    why: 'It chains no state on servers.',
    loses: 'Nothing; loops of others that chain have to keep the two rules themselves.',
  },
  {
    ids: ['HP1', 'HP10', 'HP14'],
    differs:
      '`afterToolExecution` also sees the texts of a call that was steered away; `cwd` is `.` and there is no `bus`.',
    why: 'Whatever the model reads passes it once, so that a hook that hides data misses nothing. A sandbox has no folder of the run, and a hook that only watches is an event.',
    loses:
      'Telling by its absence that a call was steered (`isError` is true), and the path of the run.',
  },
  {
    ids: ['AO27', 'AO29'],
    differs:
      'The output hooks after a `rework` or `suppress` run too, `rework` beats `suppress` whatever their order, and a third `rework` in one turn is a block.',
    why: 'Hooks of five contracts meet at one point under one precedence, and an answer that was rejected twice must not go out the third time.',
    loses: 'A `suppress` of a higher priority no longer keeps a later `rework` from being heard.',
  },
  {
    ids: ['AO22', 'AO30', 'AO32', 'SA6'],
    differs:
      'A failing hook is neutral where it is local; one of a package blocks at gates unless its manifest says `failPolicy: open`.',
    why: 'A guard that somebody installed must not be switched off by whatever makes it fail.',
    loses: 'A package has to say that its failures may be ignored.',
  },
  {
    ids: ['AO52'],
    differs:
      'No hooks are built in: condense, rag and the like are scripts that declare their ports.',
    why: 'A hook that nobody sees in the inventory would run with the rights of the host.',
    loses: 'Ports that wire themselves without two lines of YAML.',
  },
  {
    ids: ['AO18', 'AO19b'],
    differs:
      '`hook_intercepted` is a line of the log, and the lines of kind `hook` come from the records: `runtime.transcript` and `GET /v1/sessions/{session}/transcript`.',
    why: 'Every contract is recorded in one database with one retention.',
    loses:
      'Queries on `logs/events.db` and `logs/messages.db`: their place is taken by the table `decisions`.',
  },
  {
    ids: ['SA16'],
    differs: 'There are no user-scoped hooks: one that says so is an error at load.',
    why: 'Nothing here runs outside of a session, and such a hook would never be called.',
    loses: 'Hooks on changes of a user that belong to no thread.',
  },
  {
    ids: ['SA40'],
    differs: '`after_tool_call_failure` replaces the text of the error; it stays an error.',
    why: 'Whether a tool failed is a fact that later hooks, records and the model rely on.',
    loses:
      'Recovering from a failure in a hook: a tool that can be replaced is answered before it runs.',
  },
];

/** A point where the sources of a system contradict each other, and which of them holds here. */
export interface Choice {
  readonly ids: readonly string[];
  readonly holds: string;
}

/** What was chosen where code and documents disagree. */
export const CHOICES: readonly Choice[] = [
  { ids: ['AP3'], holds: 'The documents: a handler without a name is called after its function.' },
  { ids: ['AP13'], holds: 'The newer code: an injection is ephemeral if any of those merged is.' },
  {
    ids: ['AP19', 'AP21', 'AP66'],
    holds:
      'The code: a local handler that throws lets pass, an answer that is no result denies. A handler of a package that throws at a gate is closed.',
  },
  {
    ids: ['AP39'],
    holds: 'The documents: 10 240 characters and 10 000 tokens where nothing is set.',
  },
  {
    ids: ['AO22', 'AO49'],
    holds:
      'The text has no script: a function is called as `(event, ctx)`, and each of the two has the fields of both.',
  },
  {
    ids: ['AO35', 'AO40'],
    holds:
      'A hook that no agent names and that says nothing of `global` holds in the whole runtime that it stands in; `global: false` leaves it to grants.',
  },
  {
    ids: ['SA10'],
    holds: 'An agent that `agents` does not describe keeps every hook that is live.',
  },
  {
    ids: ['SA39', 'SA40'],
    holds: '`after_tool_call_success` and `_failure` run before `before_store_tool_result`.',
  },
  { ids: ['HP5'], holds: 'Both: `beforeProviderCall` may return a request or messages alone.' },
  {
    ids: ['HP8'],
    holds: 'The shape decides the default text of a refusal: astorlm, or from scratch.',
  },
  { ids: ['HP18'], holds: 'astorlm: 25 turns, and the last message is returned.' },
  { ids: ['HP24'], holds: 'The prose: a throw of `beforeToolExecution` takes the run down.' },
  {
    ids: ['HP25'],
    holds: 'Each its own: an empty text is kept, but for the names of Python, where it is none.',
  },
];
