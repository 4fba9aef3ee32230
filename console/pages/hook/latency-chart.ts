import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import type { HookDetail, Minute } from '../../api/shapes.ts';
import { showMinute, showMs } from '../../parts/figures.ts';

type Latency = HookDetail['latency'];

const MINUTE_S = 60;
const HEIGHT_PX = 260;
const FONT = '12px ui-sans-serif, system-ui, sans-serif';

/** Draws a histogram for each minute, as columns of shaded fields, with p50 and p99 over it. Returns what takes it away. */
export function drawLatency(place: HTMLElement, latency: Latency): () => void {
  const colours = coloursOf(place);
  const series = latency.series.filter(({ calls }) => calls > 0);
  const bounds = boundsOf(latency, series);
  const now = Math.ceil(Date.now() / 1000);
  const grid = { stroke: colours.rule, width: 1 };
  const axis = { stroke: colours.soft, font: FONT, ticks: { show: false } };
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT_PX,
      cursor: { drag: { x: false, y: false } },
      legend: { show: false },
      scales: {
        x: { time: true, range: () => [now - 60 * MINUTE_S, now] },
        y: { distr: 3, range: () => [bounds.low, bounds.high] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          values: (_, splits) => splits.map((split) => showMinute(split * 1000)),
        },
        {
          ...axis,
          grid: {
            ...grid,
            filter: (_, splits) => splits.map((split) => (isPower(split) ? split : null)),
          },
          size: 64,
          values: (_, splits) => splits.map((split) => (isPower(split) ? showMs(split) : '')),
        },
      ],
      series: [
        {},
        { label: 'p50', stroke: colours.route, width: 2, points: { size: 5 } },
        { label: 'p99', stroke: colours.caution, width: 2, points: { size: 5 } },
      ],
      hooks: {
        drawClear: [
          (drawn) => shade(drawn, { series, bucketsMs: latency.bucketsMs, colours, bounds }),
        ],
      },
    },
    [
      series.map(({ time }) => Date.parse(time) / 1000 + MINUTE_S / 2),
      series.map(({ p50Ms }) => Math.max(p50Ms, bounds.low)),
      series.map(({ p99Ms }) => Math.max(p99Ms, bounds.low)),
    ],
    place,
  );
  const observer = new ResizeObserver(() =>
    chart.setSize({ width: place.clientWidth, height: HEIGHT_PX }),
  );
  observer.observe(place);
  return () => {
    observer.disconnect();
    chart.destroy();
  };
}

/** Only the powers of ten of the logarithmic axis are drawn and named. */
function isPower(ms: number): boolean {
  return Math.abs(Math.log10(ms) - Math.round(Math.log10(ms))) < 1e-9;
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** Powers of ten around all that was measured. */
function boundsOf({ bucketsMs }: Latency, series: readonly Minute[]): Bounds {
  const used = bucketsMs.filter((_, at) => series.some(({ counts }) => (counts[at] ?? 0) > 0));
  const highest = Math.max(used.at(-1) ?? 1, ...series.map(({ p99Ms }) => p99Ms));
  const lowest = Math.min(used[0] ?? 0.1, ...series.map(({ p50Ms }) => p50Ms)) / 2;
  const power = (ms: number, round: (x: number) => number): number =>
    10 ** round(Math.log10(Math.max(ms, 0.001)));
  return { low: power(lowest, Math.floor), high: power(highest, Math.ceil) };
}

interface Shading {
  readonly series: readonly Minute[];
  readonly bucketsMs: readonly number[];
  readonly colours: Colours;
  readonly bounds: Bounds;
}

/** A field for each minute and bucket, the more opaque the more of the minute's calls fell into it. */
function shade(chart: uPlot, { series, bucketsMs, colours, bounds }: Shading): void {
  const { ctx } = chart;
  const { left: x, top: y, width: w, height: h } = chart.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, w, h);
  ctx.clip();
  ctx.fillStyle = colours.route;
  for (const { time, calls, counts } of series) {
    const start = Date.parse(time) / 1000;
    const left = chart.valToPos(start, 'x', true);
    const width = chart.valToPos(start + MINUTE_S, 'x', true) - left - 1;
    for (const [at, count] of counts.entries()) {
      if (count === 0) continue;
      const bottom = chart.valToPos(Math.max(bucketsMs[at - 1] ?? 0, bounds.low), 'y', true);
      const top = chart.valToPos(Math.min(bucketsMs[at] ?? bounds.high, bounds.high), 'y', true);
      ctx.globalAlpha = 0.12 + 0.6 * Math.sqrt(count / calls);
      ctx.fillRect(left, top, width, bottom - top);
    }
  }
  ctx.restore();
}

type Colours = Readonly<Record<'soft' | 'rule' | 'route' | 'caution', string>>;

/** A canvas knows no custom properties: what they come to in the theme of now is asked of the page. */
function coloursOf(place: HTMLElement): Colours {
  const probe = document.createElement('span');
  place.append(probe);
  const colourOf = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    soft: colourOf('ink-soft'),
    rule: colourOf('rule'),
    route: colourOf('route'),
    caution: colourOf('caution'),
  };
  probe.remove();
  return colours;
}
