import type { Command } from 'commander';
import { compareRuns } from '../../simulating/compare.ts';
import type { SimulationReport } from '../../simulating/report.ts';
import { command, examples } from '../command.ts';
import { readText, statusOf } from '../files.ts';
import { withJson } from '../host/host-options.ts';
import { interruptible } from '../interruptible.ts';
import { outputTo } from '../output.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';
import { visibleJson } from '../visible.ts';
import { printComparison } from './print-comparison.ts';
import { isReportText, readReport } from './run-folder.ts';
import {
  prepareSimulation,
  runSimulation,
  type SimulateOptions,
  withSimulationOptions,
} from './simulation-options.ts';

interface CompareOptions extends SimulateOptions {
  readonly json?: true;
}

export function compareCommand(done: (code: ExitCode) => void): Command {
  return withJson(
    withSimulationOptions(command('compare')),
    'print the differences as one JSON object',
  )
    .description(
      'Compares two simulations: how their conversations end, what they cost, and for each pair of conversations the first transition in which they part, and why. A definition in place of a folder is simulated first.',
    )
    .argument('<a>', 'the folder of a simulation, or a definition')
    .argument('<b>', 'the other one')
    .addHelpText(
      'after',
      `
Conversations are pairs if they have the same persona and number: with the same
seed, both persons would say the same.
${examples([
  'dramaturg compare gpt-6-luna gpt-6.1-sol',
  'dramaturg compare old.plan.json intake.plan.json --runs 30',
  'dramaturg compare runs intake.plan.json --json',
])}`,
    )
    .action(async (a: string, b: string, options: CompareOptions) => {
      const reports = await Promise.all([a, b].map(reportIn));
      const [known] = reports.filter((report) => report !== undefined);
      const like = known ? settingsOf(known) : {};
      const one = reports[0] ?? (await simulated(a, { ...options, ...like }));
      const other = reports[1] ?? (await simulated(b, { ...options, ...like }));
      const comparison = compareRuns(one, other);
      const output = outputTo(process.stdout);
      if (options.json) output.write(`${visibleJson(JSON.stringify(comparison, undefined, 2))}\n`);
      else printComparison(comparison, output);
      done(exitCodes.fine);
    });
}

/** The report of a folder or file; undefined when the file is a definition. */
async function reportIn(place: string): Promise<SimulationReport | undefined> {
  const isFolder = (await statusOf(place))?.isDirectory() === true;
  return isFolder || isReportText(await readText(place)) ? readReport(place) : undefined;
}

/** The settings of a simulation, so that the other definition meets the same persons. */
function settingsOf({
  cast,
  runs,
  seed,
  turnsMax,
  lifecycle,
}: SimulationReport): Partial<CompareOptions> {
  const own = lifecycle === undefined ? {} : { lifecycle };
  return { personas: cast, runs, seed, maxTurns: turnsMax, ...own };
}

async function simulated(file: string, options: CompareOptions): Promise<SimulationReport> {
  const prepared = await prepareSimulation(file, options);
  return interruptible((stop) => runSimulation(prepared, stop));
}
