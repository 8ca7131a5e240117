import {
  type Checked,
  type Diagnostic,
  diagnosticsToJson,
  isRecord,
  printGithub,
  printPretty,
  type Source,
} from '@dramaturg/compiler';
import type { Elsewhere } from '@dramaturg/compiler/format';
import { agreeing, counted, visible, withArticle } from '@dramaturg/compiler/text';
import { relative } from 'node:path';
import { Option } from 'commander';
import { check } from '../../compile.ts';
import { formats } from '../../known-formats.ts';
import { type Command, command } from '../command.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import {
  type DefinitionPart,
  findingsOutside,
  readOnePart,
  readParts,
  splitName,
} from '../definition-parts.ts';
import { findFiles, statusOf, titleOf } from '../files.ts';
import { type Output, outputTo, jsonText } from '../output.ts';
import { unknownDefinitions } from '../unknown-definitions.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';

interface CheckOptions extends DefinitionOptions {
  readonly json?: true;
  readonly github?: true;
  readonly quiet?: true;
  readonly verbose?: true;
}

export function checkCommand(): Command {
  return withDefinitionOptions(command('check'))
    .description('Finds mistakes in definitions. Prints where each one is and how to fix it.')
    .argument('<files...>', 'files, folders or patterns; "-" is standard input')
    .addOption(new Option('--json', 'print the findings as one JSON object').conflicts('github'))
    .option('--github', 'print the findings as annotations for GitHub Actions')
    .addOption(new Option('--quiet', 'leave out warnings and the last line').conflicts('verbose'))
    .option('--verbose', 'add notes, which are neither errors nor warnings')
    .examples(
      'dramaturg check intake.plan.json',
      'dramaturg check "flows/**/*.plan.{json,yaml}" --option completion=all',
      'dramaturg check template.yaml serverless.yml',
      'cat intake.json | dramaturg check - --format plan --json',
    )
    .action(checkFiles);
}

/** A definition and its findings; `shown` are those that `--quiet` and `--verbose` let through. */
interface Findings {
  readonly file: string;
  /** The name of a definition inside a file. */
  readonly name?: string | undefined;
  readonly elsewhere?: Elsewhere | undefined;
  readonly checked: Checked;
  readonly shown: readonly Diagnostic[];
}

async function checkFiles(
  namesAndPatterns: readonly string[],
  options: CheckOptions,
): Promise<ExitCode> {
  const output = outputTo(process.stdout);
  const all: Findings[] = [];
  let hasPrinted = false;
  let passedOver = 0;
  const files = [...(await filesAndNames(namesAndPatterns))];
  for (const { file, name, isFound } of files) {
    const hasTests = await isFileOfTests(file);
    if (isFound && hasTests) {
      passedOver += 1;
      continue;
    }
    const { container, ...read } = await readParts(file, options, unknownDefinitions);
    const parts = read.parts.filter((part) => name === undefined || part.name === name);
    if (parts.length === 0) await readOnePart(`${file}#${name}`, options);
    const outside = container && { file, checked: findingsOutside(container, parts) };
    const found = [
      ...(outside && outside.checked.diagnostics.length > 0 ? [outside] : []),
      ...parts.map((part) => ({ ...part, checked: checkPart(part, container) })),
    ];
    if (!container && isServiceFile(found[0]!.checked)) {
      const { readServiceFile } = await import('../host/service-file.ts');
      const service = await readServiceFile(file);
      found[0]!.checked = service;
      const tenants = Object.values(service.file?.tenants ?? {});
      const served = tenants.flatMap(({ definitions = {} }) => Object.values(definitions));
      for (const each of served.map((path) => relative('', path)))
        if (!files.some((known) => known.file === each)) files.push({ file: each });
    } else if (hasTests) {
      const { readTests } = await import('../../testing/run-file.ts');
      const [ofTests] = await readTests(file);
      if (ofTests) found[0]!.checked = ofTests;
    } else if (
      isFound &&
      !container &&
      found.every(({ checked }) => isOfOtherKind(file, checked))
    ) {
      passedOver += 1;
      continue;
    }
    for (const { checked, ...rest } of found) {
      requireOptions(checked);
      const findings = { ...rest, checked, shown: checked.diagnostics.filter(isWanted(options)) };
      all.push(findings);
      const text = options.json ? '' : printed(findings, options, output);
      // A blank line separates the findings of two files. Annotations have no blank lines: a program reads them.
      output.write(text !== '' && hasPrinted && !options.github ? `\n${text}` : text);
      hasPrinted ||= text !== '';
    }
    if (container && !options.json && !options.github && !options.quiet)
      output.write(contentsOf(file, parts));
  }
  if (options.json) output.write(jsonText(report(all)));
  else if (!options.github && !options.quiet) {
    if (all.length > 0) output.write(lastLine(all, output));
    if (passedOver > 0)
      output.write(`${counted(passedOver, 'file')} without a definition passed over.\n`);
  }
  return countOf(all, 'error') > 0 ? exitCodes.errorsFound : exitCodes.fine;
}

interface GivenFile {
  readonly file: string;
  /** The name of one definition inside the file. */
  readonly name?: string;
  /** Whether a pattern or a folder has found it. Such a file need not have a definition. */
  readonly isFound?: boolean;
}

async function filesAndNames(given: readonly string[]): Promise<readonly GivenFile[]> {
  const named = await Promise.all(given.map(splitName));
  const inside = named.filter(({ name }) => name !== undefined);
  const whole: GivenFile[] = [];
  for (const { file: one, name } of named) {
    if (name !== undefined) continue;
    for (const file of await findFiles([await patternOf(one)])) {
      const isFound = file !== one;
      if (isFound && file.includes('node_modules/')) continue;
      if (!whole.some((other) => other.file === file)) whole.push({ file, isFound });
    }
  }
  return [...whole, ...inside];
}

/** A folder means all files in it that may have a definition. */
async function patternOf(given: string): Promise<string> {
  if ((await statusOf(given))?.isDirectory() !== true) return given;
  const { escapePath } = await import('tinyglobby');
  return `${escapePath(given.replace(/[/\\]+$/, ''))}/**/*.{json,jsonc,yaml,yml,tf}`;
}

async function isFileOfTests(file: string): Promise<boolean> {
  // Most files need no module of tests.
  if (!/test|mock/i.test(file)) return false;
  const [{ isTestFile }, { isMockFile }] = await Promise.all([
    import('../../testing/subject.ts'),
    import('../../testing/mocks/mock-file.ts'),
  ]);
  return isTestFile(file) || isMockFile(file);
}

/** Whether a file is a configuration for `dramaturg serve --config`. */
function isServiceFile({ format, source: { value } }: Checked): boolean {
  return format === undefined && isRecord(value) && isRecord(value['tenants']);
}

/**
 * Whether a file has nothing to do with definitions: no format recognises it, and no field looks like a misspelt field of a
 * definition.
 */
function isOfOtherKind(file: string, { format, diagnostics }: Checked): boolean {
  if (format !== undefined) return false;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return (
    file.toLowerCase().endsWith('.tf') ||
    errors.every(({ code, path }) => code === 'format/unknown' && path.length === 0)
  );
}

/** Checks a part. A definition that is in no file of this computer has no findings. */
function checkPart({ text, options }: DefinitionPart, container: Source | undefined): Checked {
  return text === undefined ? { source: container!, diagnostics: [] } : check(text, options);
}

/** Lists the definitions inside a file. */
function contentsOf(file: string, parts: readonly DefinitionPart[]): string {
  const names = parts.map(({ name = '', text, elsewhere }) => {
    if (!elsewhere) return name;
    return `${name} (in ${elsewhere.location}${text === undefined ? ', not checked' : ''})`;
  });
  const count = counted(parts.length, 'definition');
  return `${visible(`${titleOf(file)}: ${count}: ${names.join(', ')}`)}\n`;
}

function isWanted({ quiet, verbose }: CheckOptions): (diagnostic: Diagnostic) => boolean {
  return ({ severity }) =>
    severity === 'error' || (severity === 'warning' && !quiet) || verbose === true;
}

function printed(
  { file, checked, shown }: Findings,
  { github }: CheckOptions,
  output: Output,
): string {
  if (shown.length === 0) return '';
  const fileName = titleOf(file);
  if (github) return printGithub(shown, fileName);
  const { colour, width } = output;
  return printPretty(shown, { text: checked.source.text, fileName }, { colour, width: width() });
}

function report(all: readonly Findings[]) {
  return {
    files: all.map(({ file, name, elsewhere, checked, shown }) => ({
      file,
      ...(name === undefined ? {} : { definition: name }),
      ...(elsewhere ? { location: elsewhere.location } : {}),
      format: checked.format ?? null,
      diagnostics: diagnosticsToJson(shown, file),
    })),
    errors: countOf(all, 'error'),
    warnings: countOf(all, 'warning'),
  };
}

function countOf(all: readonly Findings[], severity: Diagnostic['severity']): number {
  return all
    .flatMap(({ checked }) => checked.diagnostics)
    .filter((one) => one.severity === severity).length;
}

/** The summary of all files. The findings of a single file already end with their count. */
function lastLine(all: readonly Findings[], { paint }: Output): string {
  const errors = countOf(all, 'error');
  const warnings = countOf(all, 'warning');
  const files = new Set(all.map(({ file }) => file));
  const [only] = all.length === 1 ? all : [];
  const subject = files.size === 1 ? visible(titleOf(all[0]!.file)) : `${files.size} files`;
  if (errors + warnings > 0) {
    const sign = errors > 0 ? paint('red', '✗') : paint('yellow', '!');
    return only
      ? ''
      : `\n${sign} ${subject}: ${countOrNo(errors, 'error')}, ${countOrNo(warnings, 'warning')}.\n`;
  }
  const title = formats.find(({ name }) => name === only?.checked.format)?.title;
  const kind = title === undefined ? '' : `${withArticle(title)}, `;
  return `${paint('green', '✓')} ${subject}: ${kind}no errors, no warnings.\n`;
}

function countOrNo(count: number, noun: string): string {
  return count === 0 ? `no ${agreeing(noun, count)}` : counted(count, noun);
}
