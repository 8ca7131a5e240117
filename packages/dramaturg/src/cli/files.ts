import { createReadStream, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Diagnostic, Json } from '@dramaturg/compiler';
import { read } from '@dramaturg/compiler/format';
import { nearestName, visible } from '@dramaturg/compiler/text';
import { exitCodes, UsageError } from './usage-error.ts';

/** The file name that means standard input. */
export const standardInput = '-';

const megabyte = 1_000_000;
const largestFile = 50 * megabyte;

/** The files that names and patterns match: each once, in order. All of them exist. */
export async function findFiles(namesAndPatterns: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const given of namesAndPatterns) {
    for (const file of await filesFor(given)) found.add(file);
  }
  return [...found];
}

async function filesFor(given: string): Promise<readonly string[]> {
  if (given === standardInput) return [given];
  // The name of an existing file wins, although "[draft].json" is a pattern too.
  if ((await statusOf(given)) !== undefined) return only(given);
  const { glob, isDynamicPattern } = await import('tinyglobby');
  if (!isDynamicPattern(given)) return only(given);
  const pattern = process.platform === 'win32' ? given.replaceAll('\\', '/') : given;
  const files = await glob(pattern, { expandDirectories: false });
  if (files.length === 0) {
    throw new UsageError(
      `No file matches "${visible(given)}".`,
      'Patterns start at the current folder; "**" matches any folders.',
    );
  }
  for (const file of files) await requireFile(file);
  return files.toSorted();
}

async function only(file: string): Promise<readonly string[]> {
  await requireFile(file);
  return [file];
}

/** The text of a file, or of standard input. */
export async function readText(file: string): Promise<string> {
  if (file === standardInput) return readStream(process.stdin, 'Standard input');
  await requireFile(file);
  return readStream(createReadStream(file), `"${visible(file)}"`);
}

/** The name of a file in messages. */
export function titleOf(file: string): string {
  return file === standardInput ? '<standard input>' : file;
}

async function requireFile(file: string): Promise<void> {
  const name = `"${visible(file)}"`;
  const status = await statusOf(file);
  if (status === undefined) {
    const near = await nearFile(file);
    throw new UsageError(
      `There is no file ${name}.`,
      near === undefined
        ? 'Check the name and the current folder.'
        : `Did you mean "${visible(near)}"?`,
      exitCodes.usage,
      'command/no-file',
    );
  }
  if (status.isDirectory()) {
    throw new UsageError(
      `${name} is a folder.`,
      `Name a file in it; "check" also takes a folder, or a pattern such as "${visible(file)}/**/*.json".`,
    );
  }
  if (status.size > largestFile) throw tooLarge(name);
}

/** @returns undefined when there is no such file; any other error of the system is thrown */
export async function statusOf(file: string, readStatus = stat): Promise<Stats | undefined> {
  try {
    return await readStatus(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function nearFile(file: string): Promise<string | undefined> {
  const folder = dirname(file);
  try {
    const near = nearestName(basename(file), await readdir(folder));
    return near === undefined
      ? undefined
      : file.slice(0, file.length - basename(file).length) + near;
  } catch {
    return undefined;
  }
}

/** Counts the bytes while reading: the size of a pipe or a device is not known before. */
async function readStream(stream: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > largestFile) throw tooLarge(name);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError(`${name} is not UTF-8 text.`, 'Save it with the encoding UTF-8.');
  }
}

function tooLarge(name: string): UsageError {
  return new UsageError(
    `${name} is larger than ${largestFile / megabyte} MB.`,
    'Definitions are much smaller: check that this is the right file.',
  );
}

/** Refuses an output that cannot be written, and one that is the definition itself, also under another name. */
export async function requireWritable(output: string, input: string): Promise<void> {
  const name = `"${visible(output)}"`;
  const [target, definition] = await Promise.all([statusOf(output), statusOf(input)]);
  if (target?.isDirectory())
    throw new UsageError(
      `${name} is a folder.`,
      `Name a file in it, such as -o "${visible(output)}/machine.json".`,
    );
  if (target && target.ino === definition?.ino && target.dev === definition.dev) {
    throw new UsageError(
      `${name} is the definition itself, which the output would overwrite.`,
      'Name another file with -o.',
    );
  }
  const folder = dirname(output);
  if (target === undefined && !(await statusOf(folder))?.isDirectory()) {
    throw new UsageError(
      `There is no folder "${visible(folder)}".`,
      'Create it first, or name another folder with -o.',
    );
  }
}

/** Reads JSON that an option contains, or that is in the file the option names. Warns of numbers that lose digits. */
export async function readJsonArgument(given: string, option: string, hint: string): Promise<Json> {
  const isInline = /^\s*[[{"]/.test(given);
  const text = isInline ? given : await readText(given);
  const where = isInline ? option : `"${visible(given)}"`;
  const findings = () => read(text, { fileName: 'argument.json' }).diagnostics;
  try {
    const value = JSON.parse(text) as Json;
    const mayLoseDigits = /\d{16}/.test(text);
    for (const finding of mayLoseDigits ? findings() : [])
      if (finding.code === 'read/unsafe-number')
        process.stderr.write(`warning: ${where}: ${placedMessage(finding)} ${finding.hint}\n`);
    return value;
  } catch (error) {
    const diagnostics = findings();
    const [first] = diagnostics.filter(({ severity }) => severity === 'error');
    if (!first) throw new UsageError(`${where} is not JSON: ${(error as Error).message}.`, hint);
    throw new UsageError(`${where} is not JSON: ${placedMessage(first)}`, hint);
  }
}

/** The message of a finding with its position, for a text that is not printed with it. */
export function placedMessage({ range: { start }, message }: Diagnostic): string {
  return `line ${start.line}, column ${start.column}: ${message}`;
}
