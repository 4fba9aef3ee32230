import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProcessFacts } from '../../host/sandbox.ts';
import type { RuntimeFacts } from './facts.ts';

const KINDS = ['isolate', 'worker'] as const;
const MIB = 1024 * 1024;
const MICROSECONDS = 1e-6;

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

interface Draft {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly read: () => Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** Adds what is to be seen of a runtime at the moment of reading. */
export function registerGauges(registry: Registry, facts: RuntimeFacts): void {
  for (const draft of gaugesOf(facts)) register(registry, draft, Gauge);
  for (const draft of countersOf(facts)) register(registry, draft, Counter);
}

function register(
  registry: Registry,
  { name, help, labelNames = [], read }: Draft,
  Kind: typeof Gauge | typeof Counter,
): void {
  const metric = new Kind({ name, help, labelNames: [...labelNames], registers: [registry] });
  // Assigned afterwards, because it refers to the metric.
  Object.assign(metric, {
    async collect(): Promise<void> {
      metric.reset();
      // A database that does not answer must not take the other numbers with it.
      const samples = await Promise.resolve()
        .then(read)
        .catch((): Iterable<Sample> => []);
      for (const [labels, value] of samples) metric.inc(labels, value);
    },
  });
}

function gaugesOf({ inventory, processes, loads, approvalsWaiting }: RuntimeFacts): Draft[] {
  const perKind = (valueOf: (own: readonly ProcessFacts[]) => number): Iterable<Sample> => {
    const all = processes();
    return KINDS.map((kind) => [
      { sandbox: kind },
      valueOf(all.filter(({ sandbox }) => sandbox === kind)),
    ]);
  };
  return [
    {
      name: 'signalbox_healthy',
      help: 'Whether every hook is live as configured',
      read: () => [[{}, inventory().health === 'ok' ? 1 : 0]],
    },
    {
      name: 'signalbox_hooks',
      help: 'Hooks that stand in the chains by mode and state',
      labelNames: ['mode', 'state'],
      // Each adds one to its own.
      read: () => inventory().hooks.map(({ mode, state }) => [{ mode, state }, 1]),
    },
    {
      name: 'signalbox_sandbox_processes',
      help: 'Processes that run hooks',
      labelNames: ['sandbox'],
      read: () => perKind((own) => own.length),
    },
    {
      name: 'signalbox_sandbox_resident_memory_bytes',
      help: 'Resident memory of the processes that run hooks',
      labelNames: ['sandbox'],
      read: () => perKind((own) => own.reduce((sum, { rssMb }) => sum + rssMb * MIB, 0)),
    },
    {
      name: 'signalbox_queue_length',
      help: 'Loads and runs that wait for a process',
      labelNames: ['sandbox'],
      read: () => loads().map(({ sandbox, queued }) => [{ sandbox }, queued]),
    },
    {
      name: 'signalbox_approvals_waiting',
      help: 'Questions that nobody has answered yet, at most 1000',
      read: async () => [[{}, await approvalsWaiting()]],
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the runtime itself',
      read: () => [[{}, process.memoryUsage.rss()]],
    },
    {
      name: 'process_start_time_seconds',
      help: 'When the process started, since 1970',
      read: () => [[{}, performance.timeOrigin / 1000]],
    },
  ];
}

function countersOf({ loads, reloads }: RuntimeFacts): Draft[] {
  return [
    {
      name: 'signalbox_reloads_total',
      help: 'Configurations that were taken over while the runtime ran, or refused',
      labelNames: ['outcome'],
      read: () => Object.entries(reloads()).map(([outcome, count]) => [{ outcome }, count]),
    },
    {
      name: 'signalbox_sandbox_starts_total',
      help: 'Processes that were started to run hooks, again after a loss included',
      labelNames: ['sandbox'],
      read: () => loads().map(({ sandbox, started }) => [{ sandbox }, started]),
    },
    {
      name: 'process_cpu_seconds_total',
      help: 'Time that processors spent on the runtime itself',
      read() {
        const { user, system } = process.cpuUsage();
        return [[{}, (user + system) * MICROSECONDS]];
      },
    },
  ];
}
