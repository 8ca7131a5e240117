import { farSizes, labelStyle, nameStyle, sortStyle } from '../layout/sizes.ts';

/** The colours of drawings and components, as CSS variables. Texts keep a contrast of 4.5 to 1 in light and in dark. */
export const light: Readonly<Record<string, string>> = {
  '--dg-background': '#ffffff',
  '--dg-raised': '#f6f7f9',
  '--dg-text': '#1d2129',
  '--dg-muted': '#5b6472',
  '--dg-line': '#d9dde4',
  '--dg-arrow': '#737d8c',
  '--dg-accent': '#3b5bdb',
  '--dg-on-accent': '#ffffff',
  '--dg-accent-soft': '#edf1ff',
  '--dg-current': '#1f7a32',
  '--dg-current-soft': '#dcf7e1',
  '--dg-failed': '#c92a2a',
  '--dg-failed-soft': '#ffeaea',
  '--dg-note': '#a13d00',
  '--dg-note-soft': '#fff4e6',
  '--dg-person': '#e7f0ff',
  '--dg-talk': '#2f55c7',
  '--dg-talk-soft': '#eef3ff',
  '--dg-choose': '#99580a',
  '--dg-choose-soft': '#fff6e0',
  '--dg-think': '#7739b8',
  '--dg-think-soft': '#f7f0fe',
  '--dg-recall': '#0b6b74',
  '--dg-recall-soft': '#e6f7f8',
  '--dg-call': '#a0357f',
  '--dg-call-soft': '#fdf0f8',
  '--dg-wait': '#596273',
  '--dg-wait-soft': '#eff1f4',
};

export const dark: Readonly<Record<string, string>> = {
  '--dg-background': '#16181d',
  '--dg-raised': '#1e2128',
  '--dg-text': '#e6e8ec',
  '--dg-muted': '#a0a8b5',
  '--dg-line': '#343944',
  '--dg-arrow': '#8b94a4',
  '--dg-accent': '#91a7ff',
  '--dg-on-accent': '#10131c',
  '--dg-accent-soft': '#232b49',
  '--dg-current': '#69db7c',
  '--dg-current-soft': '#1a3d23',
  '--dg-failed': '#ff8787',
  '--dg-failed-soft': '#42201f',
  '--dg-note': '#ffb57a',
  '--dg-note-soft': '#33241a',
  '--dg-person': '#22304a',
  '--dg-talk': '#a2b8ff',
  '--dg-talk-soft': '#1f263c',
  '--dg-choose': '#f0b95a',
  '--dg-choose-soft': '#322917',
  '--dg-think': '#cfa5f7',
  '--dg-think-soft': '#2b2138',
  '--dg-recall': '#71d3dc',
  '--dg-recall-soft': '#162d30',
  '--dg-call': '#f09ad0',
  '--dg-call-soft': '#34202d',
  '--dg-wait': '#b0b8c5',
  '--dg-wait-soft': '#242830',
};

/** The fonts whose widths the layout estimates. */
const fonts =
  "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

function declarations(palette: Readonly<Record<string, string>>): string {
  return Object.entries(palette)
    .map(([name, value]) => `  ${name}: ${value};`)
    .join('\n');
}

const tints = ['talk', 'choose', 'think', 'recall', 'call', 'wait']
  .map(
    (tint) =>
      `.dg-node[data-tint='${tint}'] { --dg-tint: var(--dg-${tint}); --dg-tint-soft: var(--dg-${tint}-soft); }`,
  )
  .join('\n');

/** The looks of states and arrows, from variables. */
const drawn = `.dg-node {
  --dg-tint: var(--dg-muted);
  --dg-tint-soft: var(--dg-background);
}
${tints}
.dg-node[data-tint='bad'], .dg-node[data-light='failed'] { --dg-tint: var(--dg-failed); --dg-tint-soft: var(--dg-failed-soft); }
.dg-outline-path { fill: var(--dg-tint-soft); stroke: var(--dg-tint); stroke-width: 1.2; }
.dg-inner-path { fill: none; stroke: var(--dg-tint); stroke-width: 1; }
.dg-node[data-parent] > .dg-outline-path { fill: var(--dg-raised); fill-opacity: 0.6; stroke: var(--dg-arrow); }
.dg-node[data-task] > .dg-outline-path { fill: var(--dg-background); stroke: var(--dg-arrow); stroke-width: 1; }
.dg-node[data-hidden] > .dg-outline-path { stroke-dasharray: 5 3.5; }
.dg-node[data-region] > .dg-outline-path { stroke-dasharray: 2 3; }
.dg-icon { fill: none; stroke: var(--dg-tint); stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
.dg-name { fill: var(--dg-text); font: 500 ${nameStyle.size}px ${fonts}; }
/* Shown in a page, when a drawing is too small for the other texts. */
.dg-far-name { display: none; fill: var(--dg-text); font: 600 ${farSizes[0]}px ${fonts}; text-anchor: middle; }
${farSizes.map((size) => `.dg-far-name[data-size='${size}'] { font-size: ${size}px; }`).join('\n')}
.dg-sort { fill: var(--dg-muted); font: ${sortStyle.size}px ${fonts}; letter-spacing: 0.04em; }
.dg-badge { fill: var(--dg-background); stroke: var(--dg-arrow); }
.dg-badge-text { fill: var(--dg-text); font: 600 ${sortStyle.size}px ${fonts}; text-anchor: middle; }
.dg-dot { fill: var(--dg-text); }
.dg-node[data-light='visited'] > .dg-outline-path, .dg-node[data-light='done'] > .dg-outline-path { stroke: var(--dg-text); stroke-width: 2; }
.dg-node[data-light='next'] > .dg-outline-path { stroke: var(--dg-current); stroke-width: 2; stroke-dasharray: 1 3; stroke-linecap: round; }
.dg-node[data-light='around'] > .dg-outline-path { stroke: var(--dg-current); stroke-width: 1.6; }
.dg-node[data-light='current'] > .dg-outline-path { fill: var(--dg-current-soft); stroke: var(--dg-current); stroke-width: 3; }
.dg-node[data-light='failed'] > .dg-outline-path { fill: var(--dg-failed-soft); stroke: var(--dg-failed); stroke-width: 3; }
.dg-mark { fill: none; stroke: var(--dg-background); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.dg-mark-disc { fill: var(--dg-text); }
.dg-node[data-light='failed'] > .dg-mark-disc { fill: var(--dg-failed); }
.dg-arrow-line { fill: none; stroke: var(--dg-arrow); stroke-width: 1.3; }
.dg-arrow-head { fill: var(--dg-arrow); }
.dg-arrow[data-error] > .dg-arrow-line { stroke-dasharray: 6 3; }
.dg-arrow[data-light='visited'] > .dg-arrow-line { stroke: var(--dg-text); stroke-width: 2.2; }
.dg-arrow[data-light='visited'] > .dg-arrow-head { fill: var(--dg-text); }
.dg-arrow[data-light='next'] > .dg-arrow-line { stroke: var(--dg-current); stroke-width: 1.8; }
.dg-arrow[data-light='next'] > .dg-arrow-head { fill: var(--dg-current); }
.dg-node[data-coverage='uncovered'] > .dg-outline-path { stroke: var(--dg-note); stroke-dasharray: 4 3; stroke-width: 2; }
.dg-arrow[data-coverage='covered'] > .dg-arrow-line { stroke: var(--dg-current); stroke-width: 2; }
.dg-arrow[data-coverage='covered'] > .dg-arrow-head { fill: var(--dg-current); }
.dg-arrow[data-coverage='partly'] > .dg-arrow-line { stroke: var(--dg-note); stroke-width: 2; stroke-dasharray: 12 3; }
.dg-arrow[data-coverage='uncovered'] > .dg-arrow-line { stroke: var(--dg-note); stroke-width: 2; stroke-dasharray: 2 4; }
.dg-arrow[data-coverage='partly'] > .dg-arrow-head, .dg-arrow[data-coverage='uncovered'] > .dg-arrow-head { fill: var(--dg-note); }
.dg-reach-disc { fill: var(--dg-background); stroke: var(--dg-note); stroke-width: 2; }
.dg-reach[data-coverage='covered'] > .dg-reach-disc { fill: var(--dg-current); stroke: var(--dg-current); }
.dg-reach[data-coverage='partly'] > .dg-reach-disc { fill: var(--dg-note); }
.dg-label-box { fill: var(--dg-background); }
.dg-label { fill: var(--dg-text); font: ${labelStyle.size}px ${fonts}; text-anchor: middle; }
.dg-legend { fill: var(--dg-text); font: ${labelStyle.size}px ${fonts}; }
.dg-label-icon { --dg-tint: var(--dg-muted); }
`;

/** The style sheet of a page, `dist/styles.css`: follows the reader's system, or an element with \`data-color-scheme\`. */
export const pageStyle = `:where(:root),
:where([data-color-scheme='light']) {
${declarations(light)}
}
@media (prefers-color-scheme: dark) {
  :where(:root:not([data-color-scheme='light'])) {
${declarations(dark)}
  }
}
:where([data-color-scheme='dark']) {
${declarations(dark)}
}
${drawn}`;

/** The style of an SVG file. */
export function fileStyle(scheme: 'auto' | 'light' | 'dark'): string {
  const own = scheme === 'dark' ? dark : light;
  const other =
    scheme === 'auto'
      ? `@media (prefers-color-scheme: dark) {\nsvg {\n${declarations(dark)}\n}\n}\n`
      : '';
  return `svg {\n${declarations(own)}\n}\n${other}${drawn}`;
}
