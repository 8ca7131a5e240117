import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import type { Compiled } from '@dramaturg/compiler';
import { counted, visible } from '@dramaturg/compiler/text';
import { compile } from '../../compile.ts';
import { countedUnits, type Exploration, explore } from '../../exploring/explore.ts';
import { writeTests } from '../../exploring/write-tests.ts';
import { isTestFile } from '../../testing/subject.ts';
import { type Command, command, examples } from '../command.ts';
import {
  calledDefinitions,
  DefinitionError,
  nameOf,
  nestedDefinitions,
  readDefinition,
} from '../definition-file.ts';
import {
  type DefinitionOptions,
  formatOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import { findFiles, standardInput, statusOf } from '../files.ts';
import { readLimitOf } from '../host/host-options.ts';
import { type Output, outputTo, jsonText } from '../output.ts';
import { readOwnLifecycle } from '../simulating/read-lifecycle.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';
import { withProgress } from '../view/progress.ts';
import { explorationToJson, mutationScore, printExploration } from './print-exploration.ts';

interface ExploreOptions extends DefinitionOptions {
  readonly out?: string;
  readonly maxSteps: number;
  readonly seconds: number;
  readonly mutate?: number | true;
  readonly lifecycle?: string;
  readonly json?: true;
}

export function exploreCommand(): Command {
  return withDefinitionOptions(command('explore'))
    .json('print the result as one JSON object')
    .description(
      'Searches a definition for conversations and runs that reach each of its states, transitions and conditions, writes them as a test file, and says what cannot be reached, and why. Nothing is called: the answers of people, models and agents are chosen by the definition.',
    )
    .argument('<files...>', 'definitions or patterns; template.yaml#Name is one inside a file')
    .option(
      '-o, --out <file>',
      'write the tests to this file, such as intake.explored.test.yaml; for one definition',
    )
    .option(
      '--lifecycle <file>',
      'explore a conversation or a workflow under this lifecycle, with its rows: time, reminders, pauses, operators, failed turns',
    )
    .option(
      '--max-steps <number>',
      'the most moves to try: messages, answers, decisions, times',
      readLimitOf(1_000_000),
      5000,
    )
    .option(
      '--mutate [number]',
      'seed so many mistakes in the definition (default: 60), say how many the tests find, and add tests for the others',
      readLimitOf(10_000),
    )
    .option('--seconds <number>', 'the processor time for the search', readLimitOf(3600), 8)
    .addHelpText(
      'after',
      `
The same definition and bounds give the same tests, unless --seconds ends the search.
Exit codes: 0 if the definitions could be explored, 1 if one has errors.
${examples([
  'dramaturg explore intake.plan.json',
  'dramaturg explore intake.plan.json --out intake.explored.test.yaml',
  'dramaturg explore intake.plan.json --lifecycle desk.lifecycle.json',
  'dramaturg explore order.asl.json --max-steps 50000 --seconds 60',
  'dramaturg explore order.asl.json --mutate',
  'dramaturg explore "flows/**/*.plan.yaml" --mutate 15',
  'dramaturg explore order.asl.json --json',
])}`,
    )
    .action(exploreFiles);
}

async function exploreFiles(given: readonly string[], options: ExploreOptions): Promise<ExitCode> {
  const { out } = options;
  if (out !== undefined) await requireOwnTestFile(out);
  if (given.includes(standardInput))
    throw new UsageError(
      'A definition from standard input cannot be explored: its tests need its file.',
      'Write it to a file first.',
    );
  const whole = given.filter((file) => !file.includes('#'));
  const files = [
    ...(whole.length > 0 ? await findFiles(whole) : []),
    ...given.filter((file) => file.includes('#')),
  ];
  const [first = ''] = files;
  const output = outputTo(process.stdout);
  if (files.length === 1) {
    const { text, asJson } = await exploreFile(first, options, output);
    output.write(options.json ? jsonText(asJson) : text);
    return exitCodes.fine;
  }
  if (out !== undefined)
    throw new UsageError(
      `--out is for one definition, and these are ${files.length}.`,
      'Explore each one with a test file of its own.',
    );
  const explored: Explored[] = [];
  let code: ExitCode = exitCodes.fine;
  for (const file of files)
    try {
      const each = await exploreFile(file, options, output);
      explored.push(each);
      if (!options.json) output.write(`${each.text}\n`);
    } catch (error) {
      // Its findings are printed already. The other definitions are still explored.
      if (!(error instanceof DefinitionError)) throw error;
      code = error.exitCode;
    }
  const total = totalOf(explored.map(({ exploration }) => exploration));
  output.write(
    options.json
      ? jsonText({ definitions: explored.map(({ asJson }) => asJson), total })
      : printTotal(total),
  );
  return code;
}

interface Explored {
  readonly exploration: Exploration;
  readonly text: string;
  readonly asJson: object;
}

async function exploreFile(
  file: string,
  options: ExploreOptions,
  output: Output,
): Promise<Explored> {
  const { out, maxSteps, seconds, mutate } = options;
  const { compiled, order } = await readDefinition(file, nameOf(file), options);
  const lifecycle = await lifecycleFor(compiled, options);
  const nested = await nestedDefinitions(compiled, file, {});
  const others = [...nested].map(([name, each]) => [name, each.compiled] as const);
  const explored = lifecycle ? { definition: compiled, lifecycle } : compiled;
  const exploration = await withProgress((show) =>
    explore(explored, {
      bounds: { steps: maxSteps, seconds },
      others: Object.fromEntries(others),
      onProgress: (steps, reached, total) =>
        show(`${steps} moves tried, ${reached} of ${total} reached`),
      ...(mutate === undefined
        ? {}
        : {
            mutation: {
              mutantsMax: mutate === true ? mutantsUsual : mutate,
              compile: (text: string) =>
                compile(text, { options: order.options, format: compiled.format }),
            },
          }),
    }),
  );
  if (out !== undefined) await writeFile(out, testFileOf(exploration, file, out, options));
  const subject = {
    file,
    source: compiled.source,
    bounds: { steps: maxSteps, seconds },
    ...(lifecycle && options.lifecycle !== undefined
      ? { lifecycle: { file: options.lifecycle, source: lifecycle.source } }
      : {}),
    called: [...nested.keys()],
    missing: missingAmong([compiled, ...others.map(([, each]) => each)], nested),
  };
  return {
    exploration,
    text: printExploration(exploration, subject, out, output),
    asJson: explorationToJson(exploration, subject, out),
  };
}

/**
 * Reads the lifecycle that is named for a definition.
 *
 * @throws UsageError when the definition has no place for it
 */
async function lifecycleFor(
  definition: Compiled,
  { lifecycle: file, mutate }: ExploreOptions,
): Promise<Compiled | undefined> {
  if (file === undefined) return undefined;
  if (definition.kind === 'lifecycle')
    throw new UsageError(
      'A lifecycle has no other lifecycle.',
      'Leave out --lifecycle: its own rows are explored.',
    );
  if (mutate !== undefined)
    throw new UsageError(
      '--mutate seeds mistakes in one definition, and cannot be combined with --lifecycle.',
      'Seed mistakes in the definition and in the lifecycle, each by itself.',
    );
  return readOwnLifecycle(file, definition);
}

/** The names of definitions that are called and have no file. */
function missingAmong(
  all: readonly Compiled[],
  found: ReadonlyMap<string, unknown>,
): readonly string[] {
  return [...new Set(all.flatMap(calledDefinitions))].filter((name) => !found.has(name));
}

const mutantsUsual = 60;

const firstLine = '# Generated by dramaturg explore';

/** Refuses to write over a file that people have written. */
async function requireOwnTestFile(out: string): Promise<void> {
  if (!isTestFile(out))
    throw new UsageError(
      `"${visible(out)}" is not the name of a test file.`,
      'Choose a name that ends with ".test.yaml", such as intake.explored.test.yaml.',
    );
  const status = await statusOf(out);
  if (status === undefined) {
    if ((await statusOf(dirname(out)))?.isDirectory()) return;
    throw new UsageError(
      `There is no folder "${visible(dirname(out))}".`,
      'Create it first, or name another folder with --out.',
    );
  }
  if (status.isFile() && (await readFile(out, 'utf8')).startsWith(firstLine)) return;
  throw new UsageError(
    `"${visible(out)}" exists, and was not generated by dramaturg explore.`,
    'Choose another name with --out, or remove the file first.',
  );
}

function testFileOf(
  { tests }: Exploration,
  file: string,
  out: string,
  options: ExploreOptions,
): string {
  const given = formatOptions(options);
  const from = (path: string) => relative(dirname(out), path).replaceAll('\\', '/');
  return writeTests(
    {
      definition: from(file),
      ...(options.lifecycle === undefined ? {} : { lifecycle: from(options.lifecycle) }),
      ...(Object.keys(given).length > 0 ? { options: given } : {}),
      comments: [
        `${firstLine.slice(2)} ${basename(file)}. Rename it before you change it: the next run replaces this file.`,
      ],
    },
    tests,
  );
}

/** The totals of the explorations of several definitions. */
interface Total {
  readonly definitions: number;
  readonly units: number;
  readonly reached: number;
  readonly tests: number;
  /** Seeded mistakes that make a difference. The tests for coverage find `found` of them, added tests find `added`. */
  readonly mistakes?: {
    readonly relevant: number;
    readonly found: number;
    readonly added: number;
    readonly missed: number;
    readonly equivalent: number;
    readonly refused: number;
  };
}

function totalOf(explorations: readonly Exploration[]): Total {
  const sum = (count: (each: Exploration) => number) =>
    explorations.reduce((total, each) => total + count(each), 0);
  const units = sum((each) => countedUnits(each).size);
  const total = {
    definitions: explorations.length,
    units,
    reached: units - sum(({ unreached }) => unreached.filter((unit) => !unit.isUnreachable).length),
    tests: sum(({ tests }) => tests.length),
  };
  const mutants = explorations.flatMap((each) => each.mutants ?? []);
  if (mutants.length === 0) return total;
  const { counts, relevant } = mutationScore(mutants);
  return { ...total, mistakes: { relevant, ...counts } };
}

function printTotal({ definitions, units, reached, tests, mistakes }: Total): string {
  const lines = [
    `${counted(definitions, 'definition')}: ${reached} of ${units} reached${share(reached, units)}, ${counted(tests, 'test')}.`,
  ];
  if (mistakes) {
    const { relevant, found, added, equivalent, refused } = mistakes;
    lines.push(
      `${counted(relevant, 'mistake')}: ${found} found by tests for coverage${share(found, relevant)}, ${found + added} with tests that were added${share(found + added, relevant)}; ${refused} refused by check, ${equivalent} without a difference in what was tried.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : ` (${Math.floor((100 * part) / whole)} %)`;
}
