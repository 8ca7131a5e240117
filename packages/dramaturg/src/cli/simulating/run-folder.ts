import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { visible } from '@dramaturg/compiler/text';
import { isReport } from '../../simulating/report-shape.ts';
import type { SimulationReport } from '../../simulating/report.ts';
import { conversationName } from '../../simulating/simulate.ts';
import { writeTranscript } from '../../simulating/write-transcript.ts';
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
