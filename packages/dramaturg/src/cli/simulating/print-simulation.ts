import { counted, visible } from '@dramaturg/compiler/text';
import { writeDuration } from '../../testing/test-file.ts';
import type { PersonaSummary, SimulationReport, Stuck } from '../../simulating/report.ts';
import { writeTable } from '../host/print/table.ts';
import type { Output } from '../output.ts';
import { usageText } from '../view/usage-text.ts';

/** Prints a report for people. @param folder where the transcripts are */
export function printSimulation(
  report: SimulationReport,
  folder: string | undefined,
  output: Output,
): void {
  const { definition, agent, persons, runs, seed, score, personas, stuck, used } = report;
  const { write, paint } = output;
  const cast = [
    ...(agent === 'none'
      ? []
      : [`${agent === 'understudy' ? 'the understudy' : visible(agent)} as the agent`]),
    ...(persons === 'rules' ? [] : [`${visible(persons)} as the persons`]),
  ];
  write(
    `${visible(definition)}: ${counted(personas.length, 'persona')}, ${counted(runs, 'conversation')} each, seed ${seed}${cast.map((each) => `, ${each}`).join('')}.\n\n`,
  );
  writeTable<PersonaSummary>(
    output,
    [
      { title: 'persona', text: ({ persona }) => persona, least: 8 },
      { title: 'good', text: ({ good, conversations }) => `${good}/${conversations}`, least: 5 },
      { title: 'messages', text: ({ messages }) => messages.toFixed(1), least: 8 },
      ...(personas[0]?.waitedMs === undefined
        ? []
        : [
            {
              title: 'reminders',
              text: ({ reminders = 0 }: PersonaSummary) => String(reminders),
              least: 9,
            },
            {
              title: 'took',
              text: ({ waitedMs = 0 }: PersonaSummary) => durationText(waitedMs),
              least: 10,
            },
          ]),
      { title: 'ended', text: endingsText, least: 20 },
    ],
    personas,
  );
  write(`\n${paint('bold', scoreText(report))}\n`);
  write(
    `  95 % interval: ${percent(score.low)} to ${percent(score.high)} %, by ${counted(score.different, 'different conversation')}.\n`,
  );
  if (stuck.length > 0) write('\nNot at a good end:\n');
  for (const each of stuck.slice(0, stuckMax)) write(stuckText(each, report, output));
  if (stuck.length > stuckMax)
    write(`  and ${counted(stuck.length - stuckMax, 'further place')}\n`);
  const calls = personas.reduce((sum, each) => sum + each.calls, 0);
  write(`\n${used ? usageText(used) : `${counted(calls, 'call')}, none to a model`}.\n`);
  write(
    folder === undefined
      ? 'Keep the conversations to read them: --out runs\n'
      : `Transcripts: ${visible(folder)}/*.transcript\n`,
  );
}

/** Places that are listed; the JSON has all. */
const stuckMax = 10;

function scoreText({ score }: Pick<SimulationReport, 'score'>): string {
  const { share, good, conversations } = score;
  return `Score: ${percent(share)} % reached a good end (${good} of ${conversations}).`;
}

export function endingsText({ endings }: Pick<PersonaSummary, 'endings'>): string {
  return Object.entries(endings)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

function stuckText(
  { outcome, state, because, line, column, conversations }: Stuck,
  { definition }: SimulationReport,
  { paint }: Output,
): string {
  const place = line === undefined ? '' : ` ${visible(definition)}:${line}:${column}`;
  const named = conversations.slice(0, 3).join(', ');
  const more = conversations.length > 3 ? `, and ${conversations.length - 3} more` : '';
  const where = state === '' ? '' : ` in "${visible(state)}"`;
  const why = because === '' ? '' : `      ${visible(because)}\n`;
  return `  ${conversations.length} × ${paint('yellow', visible(outcome))}${where}${paint('dim', place)}\n${why}      ${paint('dim', named + more)}\n`;
}

/** The two largest units are enough. */
function durationText(milliseconds: number): string {
  if (milliseconds < 60_000) return '0 minutes';
  return writeDuration(Math.round(milliseconds / 60_000) * 60_000)
    .split(' ')
    .slice(0, 4)
    .join(' ');
}

export function percent(share: number): number {
  return Math.round(share * 100);
}
