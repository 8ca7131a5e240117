import type { LineRange } from '@dramaturg/host/store';

const pageSize = 10_000;

/** Reads all lines from a position on, page by page. */
export async function allLines<Line>(
  read: (range: LineRange) => Promise<readonly Line[]>,
  from: number,
): Promise<Line[]> {
  const lines: Line[] = [];
  for (;;) {
    const page = await read({ from: from + lines.length, limit: pageSize });
    lines.push(...page);
    if (page.length < pageSize) return lines;
  }
}
