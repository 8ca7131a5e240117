/**
 * Draws docs/images/conversation.svg: a conversation that moves through its statechart. The chart comes from
 * `dramaturg compile --to svg`, the conversation from `dramaturg run --json`. With `--check` it writes nothing, and fails when the
 * picture is out of date.
 *
 *     npm run build:packages && node .config/site/picture.ts
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'docs/images/conversation.svg');
const definition = 'docs/examples/customer-intake.plan.json';
const script = 'docs/examples/customer-intake.transcript';

const secondsOfStep = 1.6;
const secondsAtEnd = 4;
const columnWidth = 400;
const lineHeight = 20;
const charactersOfLine = 44;

interface Line {
  readonly isPerson: boolean;
  readonly text: string;
  readonly state: string;
}

const chart = dramaturg('compile', definition, '--to', 'svg');
const lines = linesOf(dramaturg('run', definition, '--script', script, '--json'));
const picture = draw();
if (!process.argv.includes('--check')) writeFileSync(target, picture);
else if (readFileSync(target, 'utf8') !== picture) {
  console.error('docs/images/conversation.svg is out of date: run `node .config/site/picture.ts`.');
  process.exitCode = 1;
}

function dramaturg(...args: readonly string[]): string {
  const bin = join(root, 'packages/dramaturg/bin/dramaturg.js');
  return execFileSync(process.execPath, [bin, ...args], { cwd: root, encoding: 'utf8' });
}

/** The lines of the conversation, in order: the person answers each message of the agent with the next line of the script. */
function linesOf(events: string): readonly Line[] {
  const said = readFileSync(join(root, script), 'utf8').matchAll(/^> (.*)$/gm);
  const messages = events
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; text: string; state: string })
    .filter(({ type }) => type === 'message.sent');
  return messages.flatMap(({ text, state }) => {
    const answer = said.next().value?.[1];
    const agent = { isPerson: false, text, state };
    return answer === undefined ? [agent] : [agent, { isPerson: true, text: answer, state }];
  });
}

function draw(): string {
  const [, width = 0, height = 0] = /viewBox="0 0 (\S+) (\S+)"/.exec(chart)?.map(Number) ?? [];
  const duration = lines.length * secondsOfStep + secondsAtEnd;
  let y = 24;
  const bubbles = lines.map(({ isPerson, text }, index) => {
    const rows = wrapped(text);
    const rowsHeight = rows.length * lineHeight;
    const bubbleWidth = 28 + 7.4 * Math.max(...rows.map(({ length }) => length));
    const x = isPerson ? columnWidth - bubbleWidth - 12 : 12;
    const spans = rows.map(
      (row, at) =>
        `<tspan x="${round(x + 14)}" y="${y + 20 + at * lineHeight}">${escaped(row)}</tspan>`,
    );
    const bubble = `<g class="${isPerson ? 'person' : 'agent'}" style="${animation('show', index)}"><rect x="${round(x)}" y="${y}" width="${round(bubbleWidth)}" height="${rowsHeight + 12}" rx="12"/><text>${spans.join('')}</text></g>`;
    y += rowsHeight + 24;
    return bubble;
  });
  // The chart is drawn as high as the conversation.
  const scale = Math.min(1, (y + 24) / height);
  const states = ['greeting', 'customer-intake', 'billing-support', 'farewell'];
  const lights = states.map((state) => {
    const first = lines.findIndex((line) => line.state === state);
    const last = lines.findLastIndex((line) => line.state === state);
    const isLast = last === lines.length - 1;
    const [start, end] = [percent(first, duration), isLast ? 99.9 : percent(last + 1, duration)];
    const light = `<rect class="light" ${outlineOf(state)} rx="10" style="animation: ${state} ${duration}s infinite step-end"/>`;
    return {
      light,
      keyframes: `@keyframes ${state} { 0% { opacity: 0 } ${start}% { opacity: 1 } ${end}% { opacity: 0 } }`,
    };
  });
  const shows = lines.map(
    (_, index) =>
      `@keyframes show${index} { 0%, ${percent(index, duration)}% { opacity: 0 } ${round(percent(index, duration) + 1)}%, 99% { opacity: 1 } 100% { opacity: 0 } }`,
  );
  const [totalWidth, totalHeight] = [
    Math.round(columnWidth + width * scale),
    Math.round(height * scale),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${totalWidth} ${totalHeight}" width="${totalWidth}" height="${totalHeight}" role="img" aria-label="A conversation moves through the states of its definition">
<style>
.person rect { fill: #dbe6ff } .agent rect { fill: #f0f1f4 } .person text, .agent text { fill: #1d2129; font: 14px ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif }
.light { fill: none; stroke: #1f7a32; stroke-width: 5 }
@media (prefers-color-scheme: dark) { .person rect { fill: #22304a } .agent rect { fill: #2a2e37 } .person text, .agent text { fill: #e6e8ec } .light { stroke: #69db7c } }
@media (prefers-reduced-motion: reduce) { g, rect { animation: none !important } }
${[...shows, ...lights.map(({ keyframes }) => keyframes)].join('\n')}
</style>
${bubbles.join('\n')}
<g transform="translate(${columnWidth} 0) scale(${round(scale, 4)})">
${chart.trim()}
${lights.map(({ light }) => light).join('\n')}
</g>
</svg>
`;

  function animation(name: string, index: number): string {
    return `animation: ${name}${index} ${duration}s infinite`;
  }
}

/** The outline of a state in the chart, a little larger. */
function outlineOf(state: string): string {
  const title = state.replaceAll('-', ' ');
  const nodes = chart.matchAll(
    /translate\((\S+) (\S+)\)"><g class="dg-node"[^>]*><path class="dg-outline-path" d="([^"]*)".*?<text class="dg-name">(.*?)<\/text>/g,
  );
  for (const [, x, y, path, name] of nodes) {
    if (name!.replaceAll(/<[^>]*>/g, '').toLowerCase() !== title) continue;
    const numbers = Array.from(path!.matchAll(/[HV](\S+?)(?=[A-Z])/g), ([, number]) =>
      Number(number),
    );
    const [width, height] = [numbers[0]! + 7, numbers[1]! + 7];
    return `x="${Number(x) - 5}" y="${Number(y) - 5}" width="${width + 10}" height="${height + 10}"`;
  }
  throw new Error(`The chart has no state "${title}".`);
}

function wrapped(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const rows = [''];
    for (const word of line.split(' ')) {
      const longer = `${rows.at(-1)} ${word}`.trim();
      if (longer.length > charactersOfLine) rows.push(word);
      else rows[rows.length - 1] = longer;
    }
    return rows;
  });
}

function percent(index: number, duration: number): number {
  return round((100 * index * secondsOfStep) / duration);
}

function round(number: number, digits = 2): number {
  return Number(number.toFixed(digits));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
