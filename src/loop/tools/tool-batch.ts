import { finishJob, JOB_DONE, type JobEnd } from './job-done.ts';
import type { ToolCallRequest } from '../history/message.ts';
import type { ModelAnswer } from '../model/model.ts';
import { Refusal, type Run } from '../run-state.ts';
import type { ToolReply } from './tool.ts';
import { CANCELLED, carryOut, refusal, review, tellDone, textOf, type Ran } from './tool-call.ts';
import { openGate, type Gate } from './tool-gate.ts';

/** What the calls of one answer came to, beyond their results. */
export interface BatchEnd {
  /** The model said that it is done, and hooks let it. */
  readonly job?: JobEnd;
}

interface Looked {
  readonly call: ToolCallRequest;
  readonly gate: Gate;
}

/**
 * Carries out the calls of an answer: hooks look at them one after the other, what may run runs at the same time, and
 * the results are kept in the order of the calls. Each call has exactly one result, whatever happens.
 */
export async function runBatch(run: Run, answer: ModelAnswer): Promise<BatchEnd | Refusal> {
  const open = new Map(answer.toolCalls.map((call) => [call.id, call]));
  try {
    return await work(run, answer, open);
  } catch (error) {
    // What stops a run in the middle of a batch leaves calls without an end.
    await closeOpen(run, open.values());
    throw error;
  }
}

type OpenCalls = Map<string, ToolCallRequest>;

async function work(run: Run, answer: ModelAnswer, open: OpenCalls): Promise<BatchEnd | Refusal> {
  const parent = { parentToolCallId: run.parentToolCallId };
  const looked = steer(await lookAt(run, answer.toolCalls));
  const job = await endOfJob(run, looked);
  const kept = await run.history.append({
    role: 'assistant',
    content: answer.text,
    toolCalls: answer.toolCalls.map((call) => job?.shown(call) ?? call),
  });
  if (!kept.ok) {
    // The answer itself may not be kept, so its calls do not run.
    await closeOpen(run, open.values(), kept.reason);
    return new Refusal(kept.reason);
  }
  const running = looked.map(({ call, gate }) =>
    job !== undefined && call.id === job.callId
      ? Promise.resolve(job.ran)
      : carryOut(run, call, gate),
  );
  for (const [index, { call }] of looked.entries()) {
    const ran = (await running[index]) as Ran;
    const seen = await review(run, call, { ran, parent });
    const reply = await store(run, call, seen);
    open.delete(call.id);
    await tellDone(run, call, { name: seen.name, reply, parent });
  }
  await tellSteering(run, looked);
  return job?.end === undefined ? {} : { job: job.end };
}

/** Ends calls that came to no result. One that was stored without it is mended when the session is resumed. */
async function closeOpen(
  run: Run,
  calls: Iterable<ToolCallRequest>,
  reason: string = CANCELLED,
): Promise<void> {
  const parent = { parentToolCallId: run.parentToolCallId };
  for (const call of calls) {
    const { name } = call.function;
    const { reply } = refusal({ name, args: {} }, reason);
    await tellDone(run, call, { name, reply, parent }).catch(() => undefined);
  }
}

async function lookAt(run: Run, calls: readonly ToolCallRequest[]): Promise<Looked[]> {
  const waiting: { readonly call: ToolCallRequest; readonly gate: Promise<Gate> }[] = [];
  for (const call of calls) {
    const settle = await openGate(run, call, { parentToolCallId: run.parentToolCallId });
    // A person may take minutes; the next call need not wait to be looked at.
    const gate = settle();
    gate.catch(() => undefined);
    waiting.push({ call, gate });
  }
  return Promise.all(waiting.map(async ({ call, gate }) => ({ call, gate: await gate })));
}

/** A steered call cancels those beside it. Source: the harness contract. */
function steer(looked: readonly Looked[]): readonly Looked[] {
  const steering = looked.find(({ gate }) => gate.kind === 'steered');
  if (steering === undefined || steering.gate.kind !== 'steered') return looked;
  const text = `Cancelled due to user steering on tool '${steering.gate.name}'.`;
  return looked.map((each) => {
    if (each === steering) return each;
    const name = each.gate.kind === 'run' ? each.gate.tool.name : each.gate.name;
    const { args } = each.gate;
    return { call: each.call, gate: { kind: 'refused', name, args, text } };
  });
}

async function tellSteering({ history }: Run, looked: readonly Looked[]): Promise<void> {
  for (const { gate } of looked) {
    if (gate.kind !== 'steered') continue;
    const content = `[User Steering Feedback]: ${gate.feedback}`;
    await history.append({ role: 'user', content, metadata: { source: 'steering' } });
  }
}

async function endOfJob(
  run: Run,
  looked: readonly Looked[],
): Promise<Awaited<ReturnType<typeof finishJob>> | undefined> {
  if (run.options.jobDone !== true) return undefined;
  for (const { call, gate } of looked) {
    if (gate.kind === 'run' && gate.tool.name === JOB_DONE) {
      return finishJob(run, call, textOf(gate.args['answer']));
    }
  }
  return undefined;
}

/** Keeps a result as hooks leave it; the model reads what is kept. */
async function store(
  { scene, history, signal }: Run,
  { id: toolCallId }: ToolCallRequest,
  { name: toolName, reply }: { readonly name: string; readonly reply: ToolReply },
): Promise<ToolReply> {
  const { content, isError = false, attachments } = reply;
  const record = {
    status: isError ? 'error' : 'success',
    [isError ? 'error' : 'result']: content ?? null,
    ...(attachments !== undefined && { attachments: [...attachments] }),
  };
  const stored = await scene.fire(
    'preStoreToolResult',
    { toolCallId, toolName, result: record },
    signal.aborted ? {} : { signal },
  );
  const kept = stored.action === 'block' ? withheld(stored.reason) : replyOf(stored.payload.result);
  const message = {
    role: 'tool' as const,
    toolCallId,
    name: toolName,
    ...(kept.attachments !== undefined && { attachments: kept.attachments }),
  };
  const appended = await history.append({
    ...message,
    content: textOf(kept.content),
    isError: kept.isError === true,
  });
  if (appended.ok) return kept;
  // A call without a result breaks the next request, so the reason stands for it.
  const reason = withheld(appended.reason);
  await history.standIn({ ...message, content: textOf(reason.content), isError: true });
  return reason;
}

function replyOf(record: Readonly<Record<string, unknown>>): ToolReply {
  const isError = record['status'] === 'error';
  const content = isError ? (record['error'] ?? record['result']) : record['result'];
  const { attachments } = record as { readonly attachments?: unknown };
  return {
    content: content ?? '',
    isError,
    ...(Array.isArray(attachments) && { attachments: attachments as unknown[] }),
  };
}

function withheld(reason: string | undefined): ToolReply {
  return { content: reason ?? 'The result is withheld', isError: true };
}
