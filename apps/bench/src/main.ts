import { parseArgs, styleText } from 'node:util';
import { mapGrowth, mapOverAwsLocal, mapTime } from './cases/asl-map.ts';
import { guardedTask, rememberingTask, rememberingTaskOverOne } from './cases/asl-blocks.ts';
import {
  tenStatesOverAwsLocal,
  tenStatesOverHandWritten,
  tenStatesTime,
} from './cases/asl-ten-states.ts';
import { compileAsl } from './cases/check-asl.ts';
import { checkPlan, parsePlan } from './cases/check-plan.ts';
import { testCost } from './cases/test-cost.ts';
import { threadSize } from './cases/thread-size.ts';
import { turns } from './cases/turns.ts';
import { drawingMeasures } from './cases/drawing.ts';
import { closeFrames, frames } from './cases/frames.ts';
import { crowdedStore } from './host/crowded-store.ts';
import { durableDataGrowth } from './host/data-growth.ts';
import { flood } from './host/flood.ts';
import { longestHolds } from './host/holds.ts';
import { durableMap } from './host/map-run.ts';
import { recovery } from './host/opening.ts';
import { outages } from './host/outage.ts';
import { turnOverLangGraph } from './host/over-langgraph.ts';
import { throughput } from './host/throughput.ts';
import { tracedTurn } from './host/traced-turn.ts';
import { durableTurn } from './host/turn-cost.ts';
import { durableTurnGrowth } from './host/turn-growth.ts';
import { idleInstances } from './host/waking.ts';
import { modelReply } from './models/reply-cost.ts';
import { prompts } from './cases/prompts.ts';
import { sideBySide } from './cases/side-by-side.ts';
import { starting } from './cases/start.ts';
import { clearProgress, measure, type Row, showProgress } from './measure.ts';
import { OwnProcess } from './own-process/own-process.ts';

const help = `Measures the project's performance goals, as medians of interleaved rounds.

Usage: npm run bench -- [--only <part of a name>] [--full] [--json]

  --only   run only benchmarks with this text in their name
  --full   outages and stores with 100,000 instances, not 20,000: ten minutes more
  --json   print rows { name, value, unit, goal, holds }

Packages to compare with are installed in apps/bench/peers when they are first needed. Stores are created in
apps/bench/node_modules/.stores and removed at the end. That folder should be on a disk like the one used in production.
Benchmarks that need Postgres or restate-server start it. If it is missing, they say so and are not measured.

Examples:
  npm run bench
  npm run bench -- --only check --json
  npm run bench -- --only 'durable turn'
  npm run bench -- --only 'side by side'
  npm run bench -- --only drawing
  npm run bench -- --only frames
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    full: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

const benchmarks = [
  ...starting,
  checkPlan,
  parsePlan,
  compileAsl,
  tenStatesTime,
  tenStatesOverAwsLocal,
  tenStatesOverHandWritten,
  mapTime,
  mapOverAwsLocal,
  mapGrowth,
  guardedTask,
  rememberingTask,
  rememberingTaskOverOne,
  ...durableTurn,
  ...durableTurnGrowth,
  ...tracedTurn,
  ...durableDataGrowth,
  ...throughput,
  ...crowdedStore(values.full ? 100_000 : 20_000),
  ...turnOverLangGraph,
  ...threadSize,
  ...durableMap,
  ...recovery,
  ...idleInstances,
  ...flood,
  ...longestHolds,
  ...outages(values.full ? 100_000 : 20_000),
  ...modelReply,
  ...prompts,
  ...testCost,
  ...turns,
  ...drawingMeasures,
  ...frames,
  ...sideBySide,
];

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
    let rows: Row[];
    try {
      rows = await measure(chosen, showProgress);
    } finally {
      clearProgress();
      await OwnProcess.endAll();
      await closeFrames();
    }
    console.log(values.json ? JSON.stringify(rows, undefined, 2) : tableOf(rows));
    for (const note of new Set(chosen.flatMap((benchmark) => benchmark.note ?? [])))
      console.error(note);
    const problems = rows.flatMap(({ problem }) => problem ?? []);
    for (const problem of new Set(problems)) console.error(problem);
    if (rows.some(({ holds }) => !holds)) process.exitCode = 1;
  }
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, value, unit, goal, holds }) => [
    name,
    value === null ? 'not measured' : `${value.toPrecision(3)} ${unit}`,
    goal,
    goal === '' || value === null ? '' : holds ? 'holds' : 'MISSED',
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
