import { parseArgs, styleText } from 'node:util';
import { checkPlan, parsePlan } from './cases/check-plan.ts';
import { turnGrowth } from './cases/turn-growth.ts';
import { measure, type Row } from './measure.ts';

const benchmarks = [checkPlan, parsePlan, turnGrowth];

const help = `Measures what the project promises, as medians of interleaved rounds.

Usage: npm run bench -- [--only <part of a name>] [--json]

  --only   measure only what has this in its name
  --json   print rows { name, value, unit, goal, holds }

Examples:
  npm run bench
  npm run bench -- --only check --json
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) {
  console.log(help);
} else {
  const chosen = benchmarks.filter(({ name }) => name.includes(values.only ?? ''));
  if (chosen.length === 0) {
    console.error(
      `No benchmark has "${values.only}" in its name. There are: ${benchmarks.map(({ name }) => name).join('; ')}.`,
    );
    process.exitCode = 2;
  } else {
    const rows = await measure(chosen, showProgress);
    console.log(values.json ? JSON.stringify(rows, undefined, 2) : tableOf(rows));
    if (rows.some(({ holds }) => !holds)) process.exitCode = 1;
  }
}

function showProgress(done: number, all: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done === all ? '\r\u001B[K' : `\rround ${done} of ${all}`);
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, value, unit, goal, holds }) => [
    name,
    `${value.toPrecision(3)} ${unit}`,
    goal,
    goal === '' ? '' : holds ? 'holds' : 'MISSED',
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) => {
      const line = row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd();
      return line.endsWith('MISSED') ? styleText('red', line) : line;
    })
    .join('\n');
}
