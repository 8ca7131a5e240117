import type { Chart } from '@dramaturg/compiler';
import { readRecording, record, recordingFile, replay } from '@dramaturg/host';
import { hasNextReplies } from '@dramaturg/host/engine';
import { InvalidArgumentError, Option } from 'commander';
import type { Tape } from '../../simulating/options.ts';
import { personas as builtIn } from '../../simulating/persona.ts';
import type { SimulationReport } from '../../simulating/report.ts';
import { command, type Command, examples } from '../command.ts';
import { readText, statusOf } from '../files.ts';
import { interruptible } from '../interruptible.ts';
import { limitOptions } from '../limits.ts';
import { jsonText, outputTo } from '../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { percent, printSimulation } from './print-simulation.ts';
import { prepareFolder, readReport, recordingIn, writeRun } from './run-folder.ts';
import {
  type PreparedSimulation,
  prepareSimulation,
  runSimulation,
  type SimulateOptions,
  withSimulationOptions,
} from './simulation-options.ts';

interface SimulateCommandOptions extends SimulateOptions {
  readonly out?: string;
  readonly replay?: string;
  readonly min?: number;
  readonly json?: true;
}

export function simulateCommand(): Command {
  return withSimulationOptions(command('simulate'))
    .json('print the report as one JSON object')
    .description(
      'Holds many conversations with simulated persons, counts how they end, where they get stuck and what they cost, and gives a score. In workflows the persons decide on approvals, complete tasks with tokens and debate, and to lifecycles they send events. Without --model, the understudy plays the agent, and rules play the persons: the same seed gives the same conversations.',
    )
    .argument('<file>', 'the definition')
    .option(
      '-o, --out <folder>',
      'write the report, the transcripts and, with a model, recordings into this folder',
    )
    .addOption(
      new Option(
        '--replay <folder>',
        'repeat a simulation that was recorded with --out, without a model',
      ).conflicts([
        'model',
        'personModel',
        'baseUrl',
        'combineReplies',
        'input',
        'out',
        ...limitOptions,
      ]),
    )
    .option('--min <percent>', 'fail if the score is less', readPercent)
    .addHelpText(
      'after',
      `
Exit codes: 0 if it has run, 1 if the definition or a persona has errors or the
score is less than --min, 4 if every conversation failed, or a replay differs.
${examples([
  'dramaturg simulate intake.plan.json',
  'dramaturg simulate intake.plan.json --personas terse,hostile --runs 20 --out runs',
  'dramaturg simulate intake.plan.json --personas cooperative,./shy.persona.yaml',
  'dramaturg simulate intake.plan.json --lifecycle --personas late,absent,impatient',
  'dramaturg simulate intake.plan.json --lifecycle desk.lifecycle.json --out runs',
  'dramaturg simulate intake.plan.json --model openai:gpt-6-luna --prices prices.json --out gpt-6-luna',
  'dramaturg simulate intake.plan.json --model openai:gpt-6-luna --person-model openai:gpt-6.1-sol --concurrency 8',
  'dramaturg simulate order.asl.json --personas cooperative,late,absent --agents agents.js',
  'dramaturg simulate intake.plan.json --replay gpt-6-luna --min 80',
  'dramaturg simulate intake.plan.json --good completed,human-takeover --json',
])}`,
    )
    .action(async (file: string, options: SimulateCommandOptions) => {
      const report = await simulateFile(file, options);
      const output = outputTo(process.stdout);
      if (options.json) output.write(jsonText(report));
      else printSimulation(report, options.out ?? options.replay, output);
      return exitCodeOf(report, options);
    });
}

async function simulateFile(
  file: string,
  options: SimulateCommandOptions,
): Promise<SimulationReport> {
  const { out } = options;
  if (options.replay !== undefined) return replaySimulation(file, options.replay, options);
  const prepared = await prepareSimulation(file, options);
  if (out !== undefined) await prepareFolder(out);
  const usesModel = options.model !== undefined || options.personModel !== undefined;
  const tape =
    out !== undefined && usesModel ? { tape: recordingTapes(out, prepared.compiled.chart!) } : {};
  const report = await run({ ...prepared, options: { ...prepared.options, ...tape } });
  if (out !== undefined) await writeRun(out, report);
  return report;
}

/** Repeats a recorded simulation, with its personas, runs and bounds. */
async function replaySimulation(
  file: string,
  folder: string,
  options: SimulateCommandOptions,
): Promise<SimulationReport> {
  const recorded = await readReport(folder);
  const { runs, seed, turnsMax: maxTurns, agent, persons, cast, lifecycle } = recorded;
  const personas = recorded.personas.map(({ persona }) => persona);
  const prepared = await prepareSimulation(file, {
    ...options,
    isRecorded: true,
    runs,
    seed,
    maxTurns,
    personas: [],
    ...(lifecycle === undefined ? {} : { lifecycle }),
  });
  const report = await run({
    ...prepared,
    settings: { ...prepared.settings, agent, persons, cast },
    options: {
      ...prepared.options,
      personas: personas.map((name) => ({ ...builtIn.cooperative!, name })),
      tape: replayingTapes(folder, prepared.compiled.chart!),
    },
  });
  return report;
}

function run(prepared: PreparedSimulation): Promise<SimulationReport> {
  return interruptible((stop) => runSimulation(prepared, stop));
}

function exitCodeOf(
  { score, conversations }: SimulationReport,
  { min = 0 }: SimulateCommandOptions,
): ExitCode {
  if (conversations.length > 0 && conversations.every(({ ending }) => ending.outcome === 'outage'))
    return exitCodes.runFailed;
  if (percent(score.share) >= min) return exitCodes.fine;
  process.stderr.write(`error: The score is ${percent(score.share)} %, less than ${min} %.\n`);
  return exitCodes.errorsFound;
}

function readPercent(given: string): number {
  const percentage = Number(given);
  if (given.trim() !== '' && percentage >= 0 && percentage <= 100) return percentage;
  throw new InvalidArgumentError('It must be a number from 0 to 100.');
}

/** Records each conversation of a simulation in a file of its own. */
function recordingTapes(folder: string, chart: Chart): (name: string) => Promise<Tape> {
  return async (name) => ({
    start: (input) => {
      const { write, close } = recordingFile(recordingIn(folder, name));
      const recording = record({ write, chart, input });
      return { ...recording, finish: () => recording.finish().finally(close) };
    },
  });
}

/**
 * Replays each conversation of a simulation from its file.
 *
 * @throws UsageError when a recording is missing; RecordingError when it is damaged
 */
function replayingTapes(folder: string, chart: Chart): (name: string) => Promise<Tape> {
  return async (name) => {
    const file = recordingIn(folder, name);
    if (!(await statusOf(file)))
      throw new UsageError(
        `There is no recording "${file}".`,
        'Only simulations with a model are recorded. Those without one are repeated by their seed.',
      );
    const recorded = readRecording(await readText(file), file);
    return {
      input: recorded.header.input,
      nextReplies: hasNextReplies(recorded),
      start: () => replay({ recorded, chart }),
    };
  };
}
