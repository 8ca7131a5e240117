import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Compiled, JsonObject } from '@dramaturg/compiler';
import { didYouMean } from '@dramaturg/compiler/text';
import { nameOf, nestedDefinitions, readDefinition } from '../cli/definition-file.ts';
import { UsageError } from '../cli/usage-error.ts';
import type { HostedDefinition } from '../host.ts';
import { formats } from '../known-formats.ts';
import type { TestFile } from './test-file.ts';

/** The definition that a test file tests, with the definitions that it runs as agents. */
export interface Subject {
  readonly name: string;
  readonly file: string;
  readonly definition: HostedDefinition;
  readonly others: Readonly<Record<string, HostedDefinition>>;
  /** The definition, and its lifecycle if it has one of its own, with their files. */
  readonly compiled: readonly { readonly file: string; readonly definition: Compiled }[];
}

const ending = /\.test\.(ya?ml|json)$/i;

/** Whether a file is a test file, by its name: `intake.test.yaml`. */
export function isTestFile(file: string): boolean {
  return ending.test(file);
}

/** The fields of a test file that say what it tests. */
export type SubjectFields = Pick<TestFile, 'definition' | 'lifecycle' | 'options'>;

/** The definitions of the test files of one run. Each is read and compiled once. */
export class Subjects {
  readonly #read = new Map<string, Promise<Subject>>();

  /**
   * Reads and compiles the definition of a test file: the file that it names, else the file next to it with the same name.
   *
   * @throws DefinitionError when a definition has errors, which are printed; UsageError when there is no definition
   */
  async of(testFile: string, test: SubjectFields): Promise<Subject> {
    const folder = dirname(testFile);
    const file = join(folder, test.definition ?? (await definitionBeside(testFile)));
    const key = JSON.stringify([file, folder, test.lifecycle, test.options]);
    const reading = this.#read.get(key) ?? readSubject(file, folder, test);
    this.#read.set(key, reading);
    return reading;
  }
}

async function readSubject(file: string, folder: string, test: SubjectFields): Promise<Subject> {
  const name = nameOf(file);
  const { compiled } = await readDefinition(file, name, optionsOf(test));
  const nested = await nestedDefinitions(compiled, file, {});
  const others = [...nested].map(([key, { compiled: definition }]) => [key, definition] as const);
  const given = { name, file, others: Object.fromEntries(others) };
  const own = { file, definition: compiled };
  if (test.lifecycle === undefined) return { ...given, definition: compiled, compiled: [own] };
  const lifecycleFile = join(folder, test.lifecycle);
  const { compiled: lifecycle } = await readDefinition(lifecycleFile, name, {});
  return {
    ...given,
    definition: { definition: compiled, lifecycle },
    compiled: [own, { file: lifecycleFile, definition: lifecycle }],
  };
}

function optionsOf({ options }: SubjectFields): { readonly option?: JsonObject } {
  return options ? { option: options } : {};
}

/** The file of `intake.test.yaml` is `intake.plan.json`, or with the ending of another format. */
export async function definitionBeside(testFile: string): Promise<string> {
  const name = basename(testFile).replace(ending, '');
  const endings = [...formats.flatMap(({ suffixes }) => suffixes), '.json', '.yaml', '.yml'];
  const files = await readdir(dirname(testFile));
  const found = endings.map((each) => name + each).filter((each) => files.includes(each));
  const [only] = found;
  if (only !== undefined) return only;
  throw new UsageError(
    `There is no definition "${name}" beside ${testFile}.`,
    didYouMean(`${name}.plan.json`, files) ??
      `Name it in the test file: "definition: ${name}.plan.json".`,
    undefined,
    'test/no-definition',
  );
}
