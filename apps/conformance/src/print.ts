import { counted } from '@dramaturg/compiler/text';
import type { Count, Report } from './run.ts';

/** Prints the passed and total cases by area, by group and overall, then each failure in two lines. */
export function printed(report: Report, width = 160): string {
  const { folder, layout, areas, groups, verdicts, failures, remarks } = report;
  const tables = [['area', areas] as const, ...Object.entries(groups)];
  const names = tables.flatMap(([, counts]) => Object.keys(counts));
  const column = Math.max(...names.map((name) => name.length), 'in all'.length);
  const row = (name: string, count: Count) => `  ${name.padEnd(column)}  ${countText(count)}`;
  const [first, ...rest] = tables.map(([title, counts]) => [
    ...(tables.length > 1 ? [`by ${title}`] : []),
    ...Object.entries(counts).map(([name, count]) => row(name, count)),
  ]);
  const failed = failures.flatMap(({ area, id, expected, actual }) => [
    '',
    `${area} ${id}`,
    ...cut(expected, actual, width - 4).map((line, index) => `  ${'-+'[index]} ${line}`),
  ]);
  const passing = counted(remarks.length, 'passing case');
  return `${[
    `${folder} (${layout})`,
    ...first!,
    ...rest.flat(),
    row('in all', report),
    ...(verdicts ? ['by verdict'] : []),
    ...Object.entries(verdicts ?? {}).map(([verdict, count]) => `  ${verdict}: ${count}`),
    ...(remarks.length > 0 ? ['', `Remarks on ${passing} are in the report of --json.`] : []),
    ...failed,
  ].join('\n')}\n`;
}

/** Rounds down, so that 99.9 % does not show as 100 %. */
function countText({ passed, total }: Count): string {
  return `${passed}/${total} (${(Math.floor((passed / total) * 1000) / 10).toFixed(1)} %)`;
}

/** Cuts both texts to one line of at most this width, at the same column, so that the first difference is visible. */
export function cut(expected: string, actual: string, width: number): readonly [string, string] {
  const [one, other] = [expected, actual].map((text) => text.replaceAll(/\s*\n\s*/g, ' ⏎ ')) as [
    string,
    string,
  ];
  let same = 0;
  while (same < one.length && same < other.length && one[same] === other[same]) same += 1;
  const longest = Math.max(one.length, other.length);
  // At most two thirds of the line show the text before the difference.
  const start = Math.max(0, Math.min(same - Math.floor((width * 2) / 3), longest - width));
  const shown = (text: string): string => {
    const head = start > 0 ? '…' : '';
    const rest = head + text.slice(start + head.length);
    return rest.length > width ? `${rest.slice(0, width - 1)}…` : rest;
  };
  return [shown(one), shown(other)];
}
