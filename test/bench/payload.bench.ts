import { writeFolder } from './bench-runtime.ts';
import { interleave, ratioOf, timed } from './harness.ts';
import { report, versus } from './report.ts';

// What does a payload of 2 MB cost, beside writing and reading it as JSON once?
const lines = Array.from({ length: 16_000 }, (_, at) => ({
  at,
  text: `line ${at}: ${'lorem ipsum dolor sit amet '.repeat(3)}`,
  isNew: at % 3 === 0,
}));
const payload = { toolName: 'read', toolCallId: 'call-1', args: { command: 'cat', lines } };
const bytes = Buffer.byteLength(JSON.stringify(payload));

const bench = await writeFolder([{ name: 'look' }]);
const runtime = await bench.open();
try {
  const [fire, json] = await interleave(
    [
      timed('fire', () => runtime.fire('preToolUse', payload, { sessionId: 's1' })),
      timed('JSON.stringify and JSON.parse', () => JSON.parse(JSON.stringify(payload)) as unknown),
    ],
    { calls: 12, rounds: 5, warmUp: 8 },
  );
  if (fire === undefined || json === undefined) throw new Error('A subject was not measured');
  const measured = `fire, one hook, ${(bytes / 1e6).toFixed(1)} MB`;
  report([
    versus(
      measured,
      { subject: fire, baseline: json, ratio: ratioOf(fire, json) },
      { of: 'ratio', most: 6 },
    ),
  ]);
} finally {
  await runtime.close();
  await bench.remove();
}
