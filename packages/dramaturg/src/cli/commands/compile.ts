import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Chart, toJson } from '@dramaturg/compiler';
import { drawingOf, toMermaid, toStately } from '@dramaturg/compiler/chart';
import { visible } from '@dramaturg/compiler/text';
import type { CountedUnit } from '@dramaturg/drawing';
import { Option } from 'commander';
import * as z from 'zod';
import { check, compile } from '../../compile.ts';
import { type Command, command } from '../command.ts';
import { requireNoErrors } from '../definition-file.ts';
import {
  type DefinitionOptions,
  requireOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import { readOnePart } from '../definition-parts.ts';
import { readJsonArgument, requireWritable, standardInput } from '../files.ts';
import { jsonText, printProblems, visibleJson, visibleText } from '../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';

/** The forms that a chart can be written in. */
const writers: Record<
  Form,
  (chart: Chart, full: boolean, units?: readonly CountedUnit[]) => string | Promise<string>
> = {
  machine: (chart) => visibleJson(toJson(chart)),
  mermaid: async (chart, full) => {
    const { mermaidLookOf } = await import('@dramaturg/drawing');
    return visibleText(toMermaid(chart, { ...detailOf(full), lookOf: mermaidLookOf }));
  },
  svg: async (chart, full, units) => {
    const drawing = drawingOf(chart, detailOf(full));
    // The layout engine is large, and only drawings need it.
    const { coverageOf, layOut, toSvg } = await import('@dramaturg/drawing');
    const marks = units ? { coverage: coverageOf(drawing, units) } : {};
    return visibleText(toSvg(await layOut(drawing), { title: drawing.title, marks }));
  },
  stately: (chart) => visibleJson(JSON.stringify(toStately(chart), undefined, 2)),
};

const diagrams = ['mermaid', 'svg'] as const;
type Form = 'machine' | 'stately' | (typeof diagrams)[number];

const isDiagram = (form: Form) => diagrams.some((diagram) => diagram === form);
const detailOf = (full: boolean) => ({ detail: full ? ('full' as const) : ('overview' as const) });

interface CompileOptions extends DefinitionOptions {
  readonly to: Form;
  readonly output?: string;
  readonly full?: boolean;
  readonly coverage?: string;
  readonly json?: true;
}

export function compileCommand(): Command {
  return withDefinitionOptions(command('compile'))
    .json(
      'print one JSON value: a diagram as { mermaid } or { svg }, and with -o the name of the { file }',
    )
    .description('Compiles a definition to a state machine: JSON for XState, or a diagram.')
    .argument(
      '<file>',
      'the definition; template.yaml#Name is one inside a file; "-" is standard input',
    )
    .addOption(
      new Option(
        '--to <kind>',
        'machine: XState config as plain JSON; svg: a picture; mermaid: a diagram; stately: JSON for the Stately editor',
      )
        .choices(Object.keys(writers))
        .default('machine'),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option(
      '--full',
      'with --to svg or mermaid: draw every node of the machine, not only your own states',
    )
    .option(
      '--coverage <file>',
      'with --to svg: mark what tests reach; the file has the output of "dramaturg test --coverage --json"',
    )
    .examples(
      'dramaturg compile intake.plan.json -o machine.json',
      'dramaturg compile intake.plan.json --to svg -o intake.svg',
      'dramaturg test intake.test.yaml --coverage --json > coverage.json',
      'dramaturg compile intake.plan.json --to svg --coverage coverage.json -o intake.svg',
      'dramaturg compile intake.plan.json --to mermaid',
      'dramaturg compile intake.plan.json --to stately -o stately.json',
    )
    .action(compileFile);
}

async function compileFile(given: string, options: CompileOptions): Promise<ExitCode> {
  if (options.coverage !== undefined && options.to !== 'svg')
    throw new UsageError('Only a picture shows coverage.', 'Add --to svg.');
  const part = await readOnePart(given, options);
  const { file } = part;
  const output = options.output === standardInput ? undefined : options.output;
  if (output !== undefined) await requireWritable(output, file);
  // A diagram needs no values of placeholders.
  const read = isDiagram(options.to) ? check : compile;
  const compiled = read(part.text, part.options);
  requireOptions(compiled);
  printProblems(compiled, file);
  requireNoErrors(compiled, file);
  const { coverage } = options;
  const units = coverage === undefined ? undefined : await readCoverage(coverage, file);
  const text = await writers[options.to](compiled.chart!, options.full === true, units);
  const written = `${text.trimEnd()}\n`;
  if (output === undefined) {
    const isText = options.json && isDiagram(options.to);
    process.stdout.write(isText ? jsonText({ [options.to]: written }) : written);
  } else {
    await writeFile(output, written);
    process.stderr.write(`Wrote ${visible(output)}.\n`);
    if (options.json) process.stdout.write(jsonText({ file: output }));
  }
  return exitCodes.fine;
}

const results = z.object({
  coverage: z.array(
    z.object({
      definition: z.string(),
      units: z.array(
        z.object({
          kind: z.string(),
          path: z.array(z.union([z.string(), z.number()])),
          hits: z.number(),
        }),
      ),
    }),
  ),
});

const hint = 'Write it with: dramaturg test --coverage --json > coverage.json';

/**
 * Reads what tests reach of a definition from the output of `dramaturg test --coverage --json`.
 *
 * @throws UsageError when the file is something else, or is about other definitions
 */
async function readCoverage(file: string, definition: string): Promise<readonly CountedUnit[]> {
  const read = results.safeParse(await readJsonArgument(file, '--coverage', hint));
  if (!read.success) throw new UsageError(`"${visible(file)}" has no coverage.`, hint);
  const { coverage } = read.data;
  const own = coverage.find((each) => resolve(each.definition) === resolve(definition));
  if (own) return own.units;
  const names = coverage.map((each) => visible(each.definition)).join(', ') || 'nothing';
  throw new UsageError(
    `"${visible(file)}" has the coverage of other definitions: ${names}.`,
    'Run the tests of this definition, from the folder of this command.',
  );
}
