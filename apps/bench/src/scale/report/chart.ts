/** One line of a chart. */
export interface Line {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Panel {
  readonly title: string;
  readonly unit: string;
  /** On a logarithmic scale, values of different orders of magnitude are visible. */
  readonly isLogarithmic: boolean;
  readonly lines: readonly Line[];
  /** The end of the scale. The largest value by default. */
  readonly max?: number;
}

export interface Chart {
  readonly title: string;
  readonly xTitle: string;
  /** A value of x with a vertical line and a label. */
  readonly mark: { readonly x: number; readonly label: string };
  readonly panels: readonly Panel[];
}

const width = 860;
const panelHeight = 250;
const [left, right, top, gap] = [80, 230, 60, 70];
const colours = ['#0b66c3', '#c2410c', '#15803d', '#7e22ce', '#a16207'];

/** Draws line charts below each other, with one scale for x, as an SVG document. */
export function chartSvg({ title, xTitle, mark, panels }: Chart): string {
  const height = top + panels.length * (panelHeight + gap);
  const xMax = Math.max(
    ...panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ x }) => x))),
  );
  const xAt = (x: number) => left + (x / xMax) * (width - left - right);
  const parts = panels.flatMap((panel, index) => {
    const bottom = top + index * (panelHeight + gap) + panelHeight;
    return [
      ...panelParts(panel, bottom, xAt),
      ...ticksOf(0, xMax).map((x) => text(xAt(x), bottom + 18, numberText(x), 'middle')),
      line(
        xAt(mark.x),
        bottom - panelHeight,
        xAt(mark.x),
        bottom,
        '#555',
        'stroke-dasharray="4 4"',
      ),
      text(xAt(mark.x) + 5, bottom - panelHeight + 14, mark.label, 'start'),
      text((left + width - right) / 2, bottom + 38, xTitle, 'middle'),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="28" font-size="17" font-weight="600">${escaped(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function panelParts(
  { title, unit, isLogarithmic, lines, max }: Panel,
  bottom: number,
  xAt: (x: number) => number,
): string[] {
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y)).filter((y) => y > 0);
  const to = max ?? Math.max(...values);
  const from = isLogarithmic ? 10 ** Math.floor(Math.log10(Math.min(...values))) : 0;
  const share = (y: number) =>
    isLogarithmic ? Math.log(y / from) / Math.log(to / from) : (y - from) / (to - from);
  const yAt = (y: number) =>
    bottom - Math.min(1, Math.max(0, share(Math.max(y, from || y)))) * panelHeight;
  const ticks = isLogarithmic ? powersOf10(from, to) : ticksOf(from, to);
  return [
    text(left, bottom - panelHeight - 8, title, 'start'),
    ...ticks.flatMap((y) => [
      line(left, yAt(y), width - right, yAt(y), '#ddd'),
      text(left - 8, yAt(y) + 4, `${numberText(y)} ${unit}`, 'end'),
    ]),
    ...lines.flatMap(({ name, points }, index) => {
      const colour = colours[index % colours.length]!;
      const path = points.map(({ x, y }) => `${xAt(x).toFixed(1)},${yAt(y).toFixed(1)}`).join(' ');
      const y = bottom - panelHeight + 34 + index * 20;
      return [
        `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        line(width - right + 16, y - 4, width - right + 40, y - 4, colour, 'stroke-width="3"'),
        text(width - right + 46, y, name, 'start'),
      ];
    }),
  ];
}

function ticksOf(from: number, to: number): number[] {
  const raw = (to - from) / 6;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= raw)!;
  return Array.from(
    { length: Math.floor((to - from) / step) + 1 },
    (_, index) => from + index * step,
  );
}

function powersOf10(from: number, to: number): number[] {
  const ticks: number[] = [];
  for (let tick = from; tick <= to; tick *= 10) ticks.push(tick);
  return ticks;
}

function numberText(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en');
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="#222">${escaped(content)}</text>`;
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string, more = ''): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map((value) => value.toFixed(1));
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" stroke="${colour}" ${more}/>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
