import { visible } from '@dramaturg/compiler';
import type { Output } from '../../output.ts';
import { fitted, widthOf } from '../../view/width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** The smallest width when the terminal is narrow. */
  readonly least: number;
}

/** Writes rows below titles, at most as wide as the terminal. The widest columns are cut first. */
export function writeTable<Row>(
  { write, paint, width }: Output,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const cells = rows.map((row) => columns.map(({ text }) => visible(text(row))));
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index]!))),
  );
  const widths = narrowed(
    natural,
    columns.map(({ least, title }) => Math.max(least, widthOf(title))),
    width() - gap.length * (columns.length - 1),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => padded(fitted(text, widths[index]!), widths[index]!))
      .join(gap)
      .trimEnd();
  write(`${paint('dim', line(columns.map(({ title }) => title)))}\n`);
  for (const row of cells) write(`${line(row)}\n`);
}

const gap = '  ';

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
