import { visible, widthOf } from '@dramaturg/compiler/text';
import type { Output, Style } from '../../output.ts';
import { fitted, paragraph } from '../../view/paragraph.ts';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** The smallest width when the terminal is narrow. */
  readonly least: number;
  readonly style?: (row: Row) => Style | undefined;
}

/** A sentence below a row. */
export interface Note {
  readonly text: string;
  readonly style: Style;
}

/** Writes rows below titles, at most as wide as the terminal. The widest columns are cut first. */
export function writeTable<Row>(
  output: Output,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  notesOf: (row: Row) => readonly Note[] = () => [],
): void {
  const { write, paint, width } = output;
  const cells = rows.map((row) => columns.map(({ text }) => visible(text(row))));
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index]!))),
  );
  const widths = narrowed(
    natural,
    columns.map(({ least, title }) => Math.max(least, widthOf(title))),
    width() - gap.length * (columns.length - 1),
  );
  const line = (texts: readonly string[], styles: readonly (Style | undefined)[] = []) =>
    texts
      .map((text, index) => {
        const cell = padded(fitted(text, widths[index]!), widths[index]!);
        const style = styles[index];
        return style === undefined ? cell : paint(style, cell);
      })
      .join(gap)
      .trimEnd();
  write(`${paint('dim', line(columns.map(({ title }) => title)))}\n`);
  for (const [index, row] of rows.entries()) {
    const styles = columns.map(({ style }) => style?.(row));
    write(`${line(cells[index]!, styles)}\n`);
    for (const { text, style } of notesOf(row)) {
      const note = paragraph(output, indent, indent.length, style);
      note.say(fitted(visible(text), noteLinesMax * (width() - indent.length)));
      note.end();
    }
  }
}

const gap = '  ';
const noteLinesMax = 3;
const indent = '  ';

function narrowed(
  natural: readonly number[],
  least: readonly number[],
  room: number,
): readonly number[] {
  const widths = [...natural];
  for (let excess = widths.reduce((sum, each) => sum + each, 0) - room; excess > 0; excess -= 1) {
    const spare = widths.map((each, index) => (each > least[index]! ? each : 0));
    const widest = spare.indexOf(Math.max(...spare));
    // If all columns are at their smallest width, the terminal wraps the lines.
    if (spare[widest] === 0) break;
    widths[widest]! -= 1;
  }
  return widths;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Says below a list how it is continued. The page is quoted as one word of a shell. */
export function moreLine(next: string): string {
  return `\nThere are more: add --after '${visible(next).replaceAll("'", "'\\''")}'\n`;
}
