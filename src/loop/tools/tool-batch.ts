import { finishJob, JOB_DONE, type FinishedJob, type JobEnd } from './job-done.ts';
import type { Parked } from '../history/history.ts';
import type { ToolCallRequest } from '../history/message.ts';
import type { ModelAnswer } from '../model/model.ts';
import { takeBackQuestions, withdraw } from '../history/repair.ts';
import { Refusal, type Run } from '../run-state.ts';
import type { ToolReply } from './tool.ts';
import { CANCELLED, carryOut, refusal, review, tellDone, textOf, type Ran } from './tool-call.ts';
import { askedIn, keeperOf, lookAt, messageOf, type Keep, type Waiting } from './tool-look.ts';
import type { Gate } from './tool-gate.ts';

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
export function runBatch(run: Run, answer: ModelAnswer): Promise<BatchEnd | Refusal> {
  const { history } = run;
  const calls = answer.toolCalls;
  return untilClosed(run, calls, async (open, gates) => {
    const reason = await lookAt(run, { calls, gates, keep: keeperOf(run, answer) });
    if (reason !== undefined) {
      await withdraw(run.scene, Object.values(askedIn(gates)));
      return dontRun(run, open, reason);
    }
    const isStored = history.parked() !== undefined;
    const looked = steer(await settleAll(run, gates));
    const job = isStored ? undefined : await endOfJob(run, looked);
    const kept = isStored || (await history.append(messageOf(answer, job)));
    if (kept !== true && !kept.ok) return dontRun(run, open, kept.reason);
    await carryOutAll(run, open, { looked, job });
    return job?.end === undefined ? {} : { job: job.end };
  });
}

/** Takes up the calls that waited for people when the process ended. None of them had run. */
export function resumeBatch(
  run: Run,
  calls: readonly ToolCallRequest[],
  { approvals }: Parked,
): Promise<BatchEnd | Refusal> {
  return untilClosed(run, calls, async (open, gates) => {
    const keep: Keep = (ids) => run.history.park(ids).then(() => undefined);
    await lookAt(run, { calls, gates, keep, approvals });
    await carryOutAll(run, open, { looked: steer(await settleAll(run, gates)) });
    return {};
  });
}

type OpenCalls = Map<string, ToolCallRequest>;

/** What stops a run in the middle of a batch leaves calls without an end; they are given one. */
async function untilClosed(
  run: Run,
  calls: readonly ToolCallRequest[],
  work: (open: OpenCalls, gates: Waiting[]) => Promise<BatchEnd | Refusal>,
): Promise<BatchEnd | Refusal> {
  const open: OpenCalls = new Map(calls.map((call) => [call.id, call]));
  const gates: Waiting[] = [];
  try {
    return await work(open, gates);
  } catch (error) {
    await takeBackQuestions(run.history, run.scene).catch(() => undefined);
    await withdraw(run.scene, Object.values(askedIn(gates))).catch(() => undefined);
    await closeOpen(run, open.values());
    throw error;
  }
}

/** The answer itself may not be kept, so its calls do not run. */
async function dontRun(run: Run, open: OpenCalls, reason: string): Promise<Refusal> {
  await closeOpen(run, open.values(), reason);
  return new Refusal(reason);
}

/** Waits for all people first: what they grant is used when nothing stands between it and the call. */
async function settleAll(run: Run, gates: readonly Waiting[]): Promise<readonly Looked[]> {
  await Promise.all(gates.flatMap(({ gate }) => gate.asking?.ask() ?? []));
  await run.history.unpark();
  return Promise.all(gates.map(async ({ call, gate }) => ({ call, gate: await gate.settle() })));
}

/** Runs what may run and keeps what came of each call. */
async function carryOutAll(
  run: Run,
  open: OpenCalls,
  { looked, job }: { readonly looked: readonly Looked[]; readonly job?: FinishedJob | undefined },
): Promise<void> {
  const parent = { parentToolCallId: run.parentToolCallId };
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

async function endOfJob(run: Run, looked: readonly Looked[]): Promise<FinishedJob | undefined> {
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
