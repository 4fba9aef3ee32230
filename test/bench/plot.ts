/** A line of a plot: how many times the first value each is. */
export interface PlotLine {
  readonly name: string;
  readonly values: readonly number[];
}

const WIDTH = 560;
const HEIGHT = 360;
const MARGIN = 56;
const COLOURS = ['#1f6feb', '#d1242f', '#1a7f37'];

/** An SVG of lines on logarithmic axes, with a grey one for what grows exactly in step. */
export function plotOf(steps: readonly number[], lines: readonly PlotLine[]): string {
  const top = Math.log10(steps.at(-1) ?? 1);
  const x = (step: number): number => MARGIN + (Math.log10(step) / top) * (WIDTH - 2 * MARGIN);
  const y = (times: number): number =>
    HEIGHT - MARGIN - (Math.log10(Math.max(times, 0.5)) / top) * (HEIGHT - 2 * MARGIN);
  const path = (values: readonly number[]): string =>
    values.map((value, at) => `${x(steps[at] ?? 1).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const ticks = steps.flatMap((step) => [
    `<text x="${x(step)}" y="${HEIGHT - MARGIN + 20}" text-anchor="middle">${step} ×</text>`,
    `<text x="${MARGIN - 8}" y="${y(step) + 4}" text-anchor="end">${step} ×</text>`,
    `<path d="M${MARGIN} ${y(step)}H${WIDTH - MARGIN}" stroke="#d0d7de"/>`,
  ]);
  const drawn = lines.flatMap(({ name, values }, at) => {
    const colour = COLOURS[at % COLOURS.length];
    return [
      `<polyline points="${path(values)}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<text x="${MARGIN + 12}" y="${MARGIN + 18 * at}" fill="${colour}">${name}</text>`,
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${WIDTH / 2}" y="28" text-anchor="middle">Cost as calls, hooks and sessions grow; grey: exactly in step</text>
${ticks.join('\n')}
<polyline points="${path(steps)}" fill="none" stroke="#8c959f" stroke-dasharray="4 4"/>
${drawn.join('\n')}
</svg>
`;
}
