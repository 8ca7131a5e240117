import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { visible } from '@dramaturg/compiler/text';
import * as z from 'zod';
import type { SimulationReport } from '../../simulating/report.ts';
import { conversationName } from '../../simulating/simulate.ts';
import type { Move, Simulated, Turn } from '../../simulating/situation.ts';
import { readText, statusOf } from '../files.ts';
import { UsageError } from '../usage-error.ts';

/** The folder of a simulation: its report, a transcript of each conversation, and recordings if a model took part. */
const reportFile = 'run.json';
const ownFile = /^[\w-]+-\d+\.(?:transcript|recording)$/;

/**
 * Prepares the folder before anything is called. An earlier simulation in it is removed; other files are never touched.
 *
 * @throws UsageError when the folder has other files
 */
export async function prepareFolder(folder: string): Promise<void> {
  const status = await statusOf(folder);
  if (status && !status.isDirectory())
    throw new UsageError(`"${visible(folder)}" is a file.`, 'Name a folder: --out runs');
  await mkdir(folder, { recursive: true });
  const files = await readdir(folder);
  if (files.length === 0) return;
  if (files.includes(reportFile)) await readReport(folder);
  const others = files.filter((file) => file !== reportFile && !ownFile.test(file));
  if (!files.includes(reportFile) || others.length > 0)
    throw new UsageError(
      `The folder "${visible(folder)}" has files that are not of a simulation, such as "${visible(others[0] ?? files[0]!)}".`,
      'Name a new folder, or one of an earlier simulation, which is replaced: --out runs',
    );
  for (const file of files) await rm(join(folder, file));
}

export async function writeRun(folder: string, report: SimulationReport): Promise<void> {
  for (const each of report.conversations)
    await writeFile(
      join(folder, `${conversationName(each.persona, each.number)}.transcript`),
      writeTranscript(each, report.definition),
    );
  // Written last: a folder without it is from a run that was stopped.
  await writeFile(join(folder, reportFile), `${JSON.stringify(report, undefined, 2)}\n`);
}

export function recordingIn(folder: string, name: string): string {
  return join(folder, `${name}.recording`);
}

/**
 * Reads the report of a folder, or of a file.
 *
 * @throws UsageError when it is not a report
 */
export async function readReport(place: string): Promise<SimulationReport> {
  const isFolder = (await statusOf(place))?.isDirectory() === true;
  const file = isFolder ? join(place, reportFile) : place;
  if (isFolder && !(await statusOf(file)))
    throw new UsageError(
      `The folder "${visible(place)}" is not of a simulation: it has no "${reportFile}".`,
      'Make one with: dramaturg simulate <definition> --out runs',
    );
  const report = parsed(await readText(file));
  if (isReport(report)) return report;
  throw new UsageError(
    `"${visible(file)}" is not the report of a simulation.`,
    'Make one with: dramaturg simulate <definition> --out runs',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a text is a report and not a definition. */
export function isReportText(text: string): boolean {
  return isReport(parsed(text));
}

/** The fields that are read from a report. A file may contain anything, and its names become file names. */
const count = z.int().nonnegative();
const word = z.string().regex(/^[\w-]+$/);

const turnShape = z.looseObject({
  person: z.string().optional(),
  agent: z.array(z.string()),
  decided: z.array(z.looseObject({ port: z.string() })),
  moves: z.array(z.looseObject({ from: z.string(), to: z.string() })),
  calls: count,
  failures: z.array(z.string()),
});

const shape = z.looseObject({
  simulation: z.literal(1),
  definition: z.string(),
  agent: z.string(),
  lifecycle: z.string().optional(),
  persons: z.string(),
  cast: z.array(z.string()),
  seed: count,
  runs: z.int().min(1).max(1000),
  turnsMax: z.int().min(1).max(1000),
  score: z.looseObject({
    share: z.number(),
    low: z.number(),
    high: z.number(),
    good: count,
    conversations: count,
  }),
  personas: z.array(
    z.looseObject({
      persona: word,
      good: count,
      conversations: count,
      endings: z.record(z.string(), count),
    }),
  ),
  stuck: z.array(z.unknown()),
  conversations: z.array(
    z.looseObject({
      persona: word,
      number: z.int().positive(),
      ending: z.looseObject({ outcome: z.string(), state: z.string(), isGood: z.boolean() }),
      turns: z.array(turnShape),
    }),
  ),
});

function isReport(value: unknown): value is SimulationReport {
  return shape.safeParse(value).success;
}

/**
 * A conversation for people to read, which `dramaturg run --script` plays again: the lines of the person begin with ">".
 */
function writeTranscript(
  { persona, number, ending, turns, collected }: Simulated,
  definition: string,
): string {
  const { outcome, state, because } = ending;
  const where = state === '' ? '' : ` in "${state}"`;
  const values = Object.entries(collected).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [
    `${definition}, ${persona}, conversation ${number}`,
    '',
    ...turns.flatMap((turn) => turnLines(turn, definition)),
    `Ended: ${outcome}${where}.${because === undefined ? '' : ` ${inOneLine(because)}`}`,
    ...(values.length > 0 ? ['Collected:', ...values.map((each) => `  ${inOneLine(each)}`)] : []),
    '',
  ].join('\n');
}

function turnLines(
  { person, happening, agent, moves, failures }: Turn,
  definition: string,
): string[] {
  return [
    ...(person === undefined ? [] : [`> ${inOneLine(person)}`]),
    ...(happening === undefined ? [] : [inOneLine(happening)]),
    ...moves.map((move) => `  [${moveText(move, definition)}]`),
    ...failures.map((failure) => `  [${inOneLine(failure)}]`),
    ...agent.map((text) => `agent: ${text.trim().replaceAll(/\s*\n\s*/g, '\n       ')}`),
    '',
  ];
}

function moveText({ to, by, line, column }: Move, definition: string): string {
  const place = line === undefined ? '' : `, ${definition}:${line}:${column}`;
  return `to "${to}"${by === undefined ? '' : ` by ${by}`}${place}`;
}

/** A line of a script is one message. */
function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
