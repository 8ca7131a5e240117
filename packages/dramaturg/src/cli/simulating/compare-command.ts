import { counted, visible } from '@dramaturg/compiler/text';
import {
  type Cause,
  type ComparedPersona,
  type ComparedRun,
  compareRuns,
  type Comparison,
  type Difference,
  type Side,
} from '../../simulating/compare.ts';
import type { SimulationReport } from '../../simulating/report.ts';
import { type Command, command, examples } from '../command.ts';
import { readText, statusOf } from '../files.ts';
import { writeTable } from '../host/print/table.ts';
import { interruptible } from '../interruptible.ts';
import { type Output, outputTo, jsonText } from '../output.ts';
import { usageText } from '../view/usage-text.ts';
import { endingsText, percent } from './print-simulation.ts';
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

export function compareCommand(): Command {
  return withSimulationOptions(command('compare'))
    .json('print the differences as one JSON object')
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
      if (options.json) output.write(jsonText(comparison));
      else printComparison(comparison, output);
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

/** Prints the difference of two simulations for people. */
function printComparison(comparison: Comparison, output: Output): void {
  const { a, b, isClear, personas, same, differences, unpaired } = comparison;
  const { write, paint } = output;
  write(`a: ${runText(a)}\nb: ${runText(b)}\n`);
  write(`${paint('bold', verdict(comparison))}\n\n`);
  if (personas.length > 0) writeTable(output, columns, personas);
  const pairs = same + differences.length;
  write(
    `\n${same} of ${counted(pairs, 'pair')} of conversations go the same way to the same end.\n`,
  );
  const groups = grouped(differences);
  for (const group of groups.slice(0, groupsMax)) write(groupText(group, comparison, output));
  if (groups.length > groupsMax)
    write(`  and ${counted(groups.length - groupsMax, 'further difference')}, with --json\n`);
  if (unpaired.length > 0)
    write(
      `${counted(unpaired.length, 'conversation')} without a partner: ${visible(unpaired.slice(0, 3).join(', '))}${unpaired.length > 3 ? ', ...' : ''}\n`,
    );
  if (a.seed !== b.seed && pairs > 0)
    write('The seeds differ, so the persons say different things from the beginning.\n');
  if (!isClear && a.score.share !== b.score.share)
    write('The intervals of the scores overlap. More runs make them narrower: --runs\n');
}

const groupsMax = 10;

const columns = [
  { title: 'persona', text: ({ persona }: ComparedPersona) => persona, least: 8 },
  { title: 'a', text: ({ a }: ComparedPersona) => `${a.good}/${a.conversations}`, least: 5 },
  { title: 'b', text: ({ b }: ComparedPersona) => `${b.good}/${b.conversations}`, least: 5 },
  {
    title: 'ended',
    text: ({ a, b }: ComparedPersona) => {
      const [one, other] = [endingsText(a), endingsText(b)];
      return one === other ? one : `${one} -> ${other}`;
    },
    least: 20,
  },
];

function runText({ definition, agent, persons, seed, score, used }: ComparedRun): string {
  const cost = used ? `; ${usageText(used)}` : '';
  return `${visible(definition)}, ${visible(agent)}, ${visible(persons)}, seed ${seed}: ${percent(score.share)} % (${score.good} of ${score.conversations}; ${percent(score.low)} to ${percent(score.high)} %)${cost}`;
}

function verdict({ a, b, isClear }: Comparison): string {
  const points = percent(b.score.share) - percent(a.score.share);
  if (points === 0) return 'Both have the same score.';
  const better = points > 0 ? 'better' : 'worse';
  return `b is ${Math.abs(points)} points ${better}${isClear ? '.' : ', which can be chance.'}`;
}

/** Differences at the same place, the most frequent first. */
function grouped(differences: readonly Difference[]): readonly (readonly Difference[])[] {
  const groups = new Map<string, Difference[]>();
  for (const each of differences) {
    const key = JSON.stringify([each.state, goesTo(each.a), goesTo(each.b), each.cause.kind]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].toSorted((one, other) => other.length - one.length);
}

function goesTo({ move, ends, outcome }: Side): string {
  if (move) return `goes to "${move.to}"`;
  return ends ? `ends: ${outcome}` : 'stays';
}

function groupText(group: readonly Difference[], { a, b }: Comparison, { paint }: Output): string {
  const first = group[0]!;
  const names = group.slice(0, 3).map(({ conversation }) => conversation);
  const more = group.length > 3 ? `, and ${group.length - 3} more` : '';
  const where = first.state === '' ? 'At the start' : `In "${visible(first.state)}"`;
  const heading = `${where}, a: ${visible(goesTo(first.a))}, b: ${visible(goesTo(first.b))}`;
  const lines = [
    ...moveLines('a', first.a, a),
    ...moveLines('b', first.b, b),
    ...lineOf(first),
    causeText(first.cause, first),
    paint('dim', `${names.join(', ')}${more}`),
  ];
  return `\n  ${group.length} × ${heading}\n${lines.map((line) => `      ${line}\n`).join('')}`;
}

function moveLines(name: string, { move }: Side, { definition }: ComparedRun): readonly string[] {
  if (!move?.by) return [];
  const place = move.line === undefined ? '' : ` ${definition}:${move.line}:${move.column}`;
  return [visible(`${name}: ${move.by}${place}`)];
}

function lineOf({ turn, a, b, conversation }: Difference): readonly string[] {
  const said = a.person ?? b.person;
  return said === undefined
    ? []
    : [visible(`in ${conversation}, message ${turn}: ${JSON.stringify(cut(said))}`)];
}

const reasons = {
  person: 'the person says something else',
  answer: 'the answers differ',
  message: 'the agent says something else',
  failure: 'a call fails',
} as const;

function causeText(cause: Cause, { turn }: Difference): string {
  if (cause.kind === 'definition')
    return 'first difference: the definitions decide otherwise on the same messages and answers';
  const when = cause.turn === turn ? 'in this message' : `after message ${cause.turn}`;
  const [one, other] = [cause.a, cause.b].map((text) => JSON.stringify(cut(text)));
  return visible(`first difference: ${reasons[cause.kind]} ${when}, a: ${one}, b: ${other}`);
}

const longest = 100;

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}
