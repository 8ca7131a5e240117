import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type Chart,
  type Checked,
  printPretty,
  toJson,
  toMermaid,
  toStately,
  visible,
} from '@dramaturg/compiler';
import { type Command, Option } from 'commander';
import { compile } from '../../compile.ts';
import { command, examples } from '../command.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
  optionsFor,
} from '../definition-options.ts';
import { readText, standardInput, statusOf, titleOf } from '../files.ts';
import { outputTo } from '../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { visibleJson, visibleText } from '../visible.ts';

/** What a chart can be written as. */
const writers = {
  machine: (chart: Chart) => visibleJson(toJson(chart)),
  mermaid: (chart: Chart, full: boolean) =>
    visibleText(toMermaid(chart, { detail: full ? 'full' : 'overview' })),
  stately: (chart: Chart) => visibleJson(JSON.stringify(toStately(chart), undefined, 2)),
};

interface CompileOptions extends DefinitionOptions {
  readonly to: keyof typeof writers;
  readonly output?: string;
  readonly full?: boolean;
}

export function compileCommand(done: (code: ExitCode) => void): Command {
  return withDefinitionOptions(command('compile'))
    .summary('make a state machine of a definition')
    .description('Makes a state machine of a definition: as JSON for XState, or as a diagram.')
    .argument('<file>', 'the definition; "-" is standard input')
    .addOption(
      new Option(
        '--to <kind>',
        'machine: XState config as plain JSON; mermaid: a diagram; stately: JSON for the Stately editor',
      )
        .choices(Object.keys(writers))
        .default('machine'),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option('--full', 'with --to mermaid: draw every node of the machine, not only what you wrote')
    .addHelpText(
      'after',
      examples([
        'dramaturg compile intake.plan.json -o machine.json',
        'dramaturg compile intake.plan.json --to mermaid',
        'dramaturg compile intake.plan.json --to stately -o stately.json',
      ]),
    )
    .action(async (file: string, options: CompileOptions) => {
      done(await compileFile(file, options));
    });
}

async function compileFile(file: string, options: CompileOptions): Promise<ExitCode> {
  const text = await readText(file);
  const output = options.output === standardInput ? undefined : options.output;
  if (output !== undefined) await requireWritable(output, file);
  const compiled = compile(text, {
    fileName: file === standardInput ? undefined : file,
    format: options.format,
    options: await optionsFor(text, file, options),
  });
  requireOptions(compiled);
  tellProblems(compiled, file);
  if (!compiled.chart) return exitCodes.errorsFound;
  const written = `${writers[options.to](compiled.chart, options.full === true).trimEnd()}\n`;
  if (output === undefined) {
    process.stdout.write(written);
  } else {
    await writeFile(output, written);
    process.stderr.write(`Wrote ${visible(output)}.\n`);
  }
  return exitCodes.fine;
}

/** Errors and warnings, on standard error: standard output is for what was made. */
export function tellProblems({ diagnostics, source }: Checked, file: string): void {
  const problems = diagnostics.filter(({ severity }) => severity !== 'info');
  if (problems.length === 0) return;
  const { colour, width, write } = outputTo(process.stderr);
  const text = printPretty(
    problems,
    { text: source.text, name: titleOf(file) },
    { colour, width: width() },
  );
  write(`${text.trimEnd()}\n`);
}

/** Before anything is compiled: the definition itself is never overwritten, under whatever name. */
async function requireWritable(output: string, input: string): Promise<void> {
  const name = `"${visible(output)}"`;
  const [target, definition] = await Promise.all([statusOf(output), statusOf(input)]);
  if (target?.isDirectory())
    throw new UsageError(
      `${name} is a folder.`,
      `Name a file in it, such as -o "${visible(output)}/machine.json".`,
    );
  if (target && target.ino === definition?.ino && target.dev === definition.dev) {
    throw new UsageError(
      `${name} is the definition itself, which would be overwritten.`,
      'Give another name after -o.',
    );
  }
  const folder = dirname(output);
  if (target === undefined && !(await statusOf(folder))?.isDirectory()) {
    throw new UsageError(
      `There is no folder "${visible(folder)}".`,
      'Make it first, or name another one after -o.',
    );
  }
}
