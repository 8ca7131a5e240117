/** What a select graphic rendition code of the command means: a colour from the palette, or a style. */
const styles: Readonly<Record<string, string>> = {
  1: 'font-weight:700',
  2: 'fill:var(--dim)',
  31: 'fill:var(--red)',
  32: 'fill:var(--green)',
  33: 'fill:var(--yellow)',
  34: 'fill:var(--blue)',
  35: 'fill:var(--magenta)',
  36: 'fill:var(--cyan)',
};
/** The codes that end others. */
const ends: Readonly<Record<string, readonly string[]>> = {
  22: ['1', '2'],
  39: ['31', '32', '33', '34', '35', '36'],
};

const light =
  '--ground:#fff;--text:#1d2129;--dim:#5b6472;--red:#c92a2a;--green:#1f7a32;--yellow:#8a5200;--blue:#2f55c7;--magenta:#a0357f;--cyan:#0b6b74';
const dark =
  '--ground:#16181d;--text:#e6e8ec;--dim:#a0a8b5;--red:#ff8787;--green:#69db7c;--yellow:#f0b95a;--blue:#a2b8ff;--magenta:#f09ad0;--cyan:#71d3dc';

const lineHeight = 21;
const margin = 24;

/** Draws what a command has written to a terminal, in the colours of the reader. Colours are those that `styleText` of Node writes. */
export function terminalSvg(written: string): string {
  const lines = written.trimEnd().split('\n');
  const on = new Set<string>();
  const drawn = lines.map((line, index) => {
    const y = margin + (index + 0.75) * lineHeight;
    return `<text x="${margin}" y="${y}">${spansIn(line, on)}</text>`;
  });
  const height = lines.length * lineHeight + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="100%" height="${height}"><title>The output of a command</title>
<style>svg{${light};background:var(--ground)}@media(prefers-color-scheme:dark){svg{${dark}}}text{fill:var(--text);font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}</style>
${drawn.join('\n')}</svg>`;
}

function spansIn(line: string, on: Set<string>): string {
  // A text, then pairs of codes and the text after them.
  // oxlint-disable-next-line no-control-regex -- Colours of terminals begin with the control character ESC.
  const [first = '', ...parts] = line.split(/\u001b\[([\d;]*)m/);
  let spans = spanOf(first, on);
  for (let index = 0; index < parts.length; index += 2) {
    for (const code of parts[index]!.split(';')) turn(code, on);
    spans += spanOf(parts[index + 1]!, on);
  }
  return spans;
}

function turn(code: string, on: Set<string>): void {
  if (styles[code] !== undefined) on.add(code);
  else if (code === '' || code === '0') on.clear();
  else for (const each of ends[code] ?? []) on.delete(each);
}

function spanOf(text: string, on: ReadonlySet<string>): string {
  if (text === '') return '';
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<tspan style="${Array.from(on, (code) => styles[code]).join(';')}">${escaped}</tspan>`;
}
