import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { hasErrors, isRecord, type Json, type Path } from '@dramaturg/compiler';
import { read, Reporter } from '@dramaturg/compiler/format';
import { nameOf } from '../../cli/definition-file.ts';
import { readParts } from '../../cli/definition-parts.ts';
import * as problems from '../problems.ts';
import type { ReadTestFile } from '../read-test-file.ts';
import { definitionBeside, isTestFile } from '../subject.ts';
import type { TestCase } from '../test-file.ts';
import { casesNamed, isMockFile, type MockCase, readMockFile } from './mock-file.ts';

/** A workflow in a file, with the types of its states by their names. */
interface Workflow {
  /** The name of the file, or `template.yaml#Orders`. */
  readonly file: string;
  readonly states: ReadonlyMap<string, unknown>;
}

/** The test cases of a mock configuration, for each of its state machines. */
export async function readMockTests(
  file: string,
  input: Json | undefined,
): Promise<readonly ReadTestFile[]> {
  const { source, diagnostics, reporter, cases } = readMockFile(await readFile(file, 'utf8'), file);
  if (hasErrors(diagnostics)) return [{ source, diagnostics }];
  const tests: ReadTestFile[] = [];
  for (const machine of new Set(cases.map((one) => one.machine))) {
    const own = cases.filter((one) => one.machine === machine);
    const definition = await definitionOf(machine, own, file);
    if (!definition)
      reporter.report(problems.noMachine(machine), own[0]!.path.slice(0, 2), { at: 'key' });
    else for (const one of own) checkStates(one, definition, reporter);
    const mocked = own.map(({ name, path, states }) => ({
      name,
      at: path,
      mocked: states,
      steps: [],
      ...(input === undefined ? {} : { input: { input } }),
    }));
    if (definition)
      tests.push({
        source,
        diagnostics: [],
        file: { definition: relative(dirname(file), definition.file), tests: mocked },
      });
  }
  const found = reporter.sorted();
  return hasErrors(found) ? [{ source, diagnostics: found }] : tests;
}

/** Leaves out the test cases of mock files that tests of other files name: those tests give them an input. */
export function withoutNamedCases<
  Read extends { readonly file: string; readonly read: ReadTestFile },
>(all: readonly Read[]): readonly Read[] {
  const caseOf = (file: string, machine: unknown, name: unknown) =>
    `${resolve(file)}#${machine as string}#${name as string}`;
  const named = new Set(
    all.flatMap(({ file, read: { file: { mocks, tests = [] } = {} } }) =>
      tests.map(({ mock }) => `${resolve(dirname(file), mocks ?? '')}#${mock}`),
    ),
  );
  return all.map((one) => {
    const { file, read: given } = one;
    if (!given.file || !isMockFile(file)) return one;
    const tests = given.file.tests.filter(({ at }) => !named.has(caseOf(file, at![1], at![3])));
    return { ...one, read: { ...given, file: { ...given.file, tests } } };
  });
}

/** Gives the tests of a file the mocks that they name. */
export async function withMocks(given: ReadTestFile, file: string): Promise<ReadTestFile> {
  const { source, diagnostics, file: tested } = given;
  const isMocked = tested?.tests.some(({ mock }) => mock !== undefined);
  if (!tested || (tested.mocks === undefined && !isMocked)) return given;
  const reporter = new Reporter(source);
  const { report } = reporter;
  const mockFile = tested.mocks === undefined ? undefined : join(dirname(file), tested.mocks);
  const text = mockFile && (await readFile(mockFile, 'utf8').catch(() => undefined));
  const mocks = text === undefined ? undefined : readMockFile(text, mockFile!);
  if (!mocks)
    report(problems.noMockFile(tested.mocks), tested.mocks === undefined ? [] : ['mocks']);
  const mistake = mocks?.diagnostics.find(({ severity }) => severity === 'error');
  if (mistake) report(problems.badMockFile(tested.mocks!, mistake), ['mocks']);
  const definition = join(dirname(file), tested.definition ?? (await definitionBeside(file)));
  const [workflow] = await workflowsIn(definition);
  const tests = tested.tests.map((test, index): TestCase => {
    if (test.mock === undefined || !mocks || mistake) return test;
    const path: Path = ['tests', index, 'mock'];
    const fitting = casesNamed(mocks.cases, test.mock);
    const [only] =
      fitting.length > 1 ? fitting.filter((one) => isNamed(definition, one.machine)) : fitting;
    if (!only) report(problems.unknownCase(test.mock, mocks.cases), path);
    else if (workflow) checkStates(only, workflow, reporter, path);
    return only ? { ...test, mock: `${only.machine}#${only.name}`, mocked: only.states } : test;
  });
  const found = [...diagnostics, ...reporter.sorted()];
  return hasErrors(found)
    ? { source, diagnostics: found }
    : { ...given, file: { ...tested, tests } };
}

function checkStates(
  { path, states: mocked }: MockCase,
  { states }: Workflow,
  { report }: Reporter,
  at?: Path,
): void {
  for (const state of Object.keys(mocked)) {
    const place = at ?? [...path, state];
    if (states.get(state) === 'Task') continue;
    report(
      problems.unknownMockedState(state, states.has(state), [...states.keys()]),
      place,
      at ? {} : { at: 'key' },
    );
  }
}

/** How many folders above the mock configuration are searched for definitions. */
const foldersAbove = 2;

/** The workflow of that name, or the only one with the mocked states. Searches the folder of the file, then the folders above. */
async function definitionOf(
  machine: string,
  cases: readonly MockCase[],
  file: string,
): Promise<Workflow | undefined> {
  let folder = dirname(file);
  for (let above = 0; above <= foldersAbove; above += 1) {
    const found = await workflowsOf(folder);
    const named = found.filter((one) => isNamed(one.file, machine));
    const having = found.filter((one) =>
      cases.every(({ states }) => Object.keys(states).every((state) => one.states.has(state))),
    );
    if (named.length === 1) return named[0];
    if (having.length === 1) return having[0];
    folder = join(folder, '..');
    if (relative(process.cwd(), folder).startsWith('..')) break;
  }
  return undefined;
}

/** Whether a file has the name of a state machine, regardless of case and of separators between words. */
function isNamed(file: string, machine: string): boolean {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return plain(nameOf(file)) === plain(machine);
}

async function workflowsOf(folder: string): Promise<readonly Workflow[]> {
  const files = (await readdir(folder)).filter(
    (name) => /\.(?:json|ya?ml|asl)$/i.test(name) && !isTestFile(name) && !isMockFile(name),
  );
  return (await Promise.all(files.map((name) => workflowsIn(join(folder, name))))).flat();
}

/** The workflows in a file; none when it has none, or cannot be read. */
async function workflowsIn(given: string): Promise<readonly Workflow[]> {
  const [file = given, name] = given.split('#');
  const { parts } = await readParts(file, {}).catch(() => ({ parts: [] }));
  return parts.flatMap((part) => {
    const { text } = part;
    const { value } =
      typeof text === 'string' ? read(text, { fileName: basename(part.file) }) : (text ?? {});
    const states = statesIn(value);
    if (states.size === 0 || (name !== undefined && part.name !== name)) return [];
    return [{ file: part.name === undefined ? file : `${file}#${part.name}`, states }];
  });
}

/** The types of the states of a workflow, at any depth. */
function statesIn(value: unknown, found = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return found;
  const states = isRecord(value) && isRecord(value['States']) ? value['States'] : {};
  for (const [name, state] of Object.entries(states))
    if (isRecord(state)) found.set(name, state['Type']);
  for (const inner of Object.values(value)) statesIn(inner, found);
  return found;
}
