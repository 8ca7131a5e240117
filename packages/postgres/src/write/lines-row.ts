import type { LineTexts } from '@dramaturg/host/store';

/** Lines of one record that follow each other. */
export interface LinesRow {
  readonly kind: keyof LineTexts;
  readonly first: number;
  readonly texts: string[];
  /** Of journal lines: the position in the feed. */
  readonly position?: number;
}

/** Whether the line with the number `first` comes right after the row. */
export function isNext(row: LinesRow, first: number): boolean {
  return row.first + row.texts.length === first;
}

/** Lines of one record that follow each other in a group share a row. */
export function addTranscript(lines: LinesRow[], first: number, texts: readonly string[]): void {
  if (texts.length === 0) return;
  const kind = 'transcript';
  const last = lines.find((row) => row.kind === kind && isNext(row, first));
  if (last === undefined) lines.push({ kind, first, texts: [...texts] });
  else last.texts.push(...texts);
}
