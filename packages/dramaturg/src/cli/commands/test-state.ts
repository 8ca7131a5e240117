import { type StateTest, StateTestError, type StateTestResult, testState } from '@dramaturg/asl';
import { type Checked, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { counted, quotedList, visible } from '@dramaturg/compiler/text';
import { Option } from 'commander';
import { check, compile } from '../../compile.ts';
import { casesNamed, isMockFile, readMockFile } from '../../testing/mocks/mock-file.ts';
import { responseOf } from '../../testing/test-file.ts';
import { type Command, command, examples } from '../command.ts';
import { requireNoErrors } from '../definition-file.ts';
import {
  type DefinitionOptions,
  formatOptions,
  requireOptions,
  withDefinitionOptions,
} from '../definition-options.ts';
import { readOnePart } from '../definition-parts.ts';
import { readJsonArgument, readText, titleOf } from '../files.ts';
import { jsonText, type Output, outputTo, printProblems, visibleJson } from '../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../usage-error.ts';

interface TestStateOptions extends DefinitionOptions {
  readonly state?: string;
  readonly input?: string;
  readonly context?: string;
  readonly variables?: string;
  readonly mock?: string;
  readonly stateConfiguration?: string;
  readonly inspection: InspectionLevel;
  readonly json?: true;
}

export function testStateCommand(): Command {
  return withDefinitionOptions(command('test-state'))
    .description(
      'Runs a single state of a workflow, with a mock of its calls, and prints its output and the next state. With --inspection DEBUG it prints the data after each of its fields.',
    )
    .argument(
      '<file>',
      'a workflow, also template.yaml#Name, or a single state; "-" is standard input',
    )
    .option('--state <name>', 'the state of the workflow, also one within a Map or a Parallel')
    .option('--input <json>', 'the input of the state: inline JSON, or a file (default: {})')
    .option(
      '--mock <json>',
      'the result of its calls, or their error; or a test case: MockConfigFile.json#HappyPath',
    )
    .option('--variables <json>', 'the variables that are set before the state')
    .option('--context <json>', 'the context object (default: one as in a run)')
    .option(
      '--state-configuration <json>',
      'retries that were made, items that failed, what an ItemReader has read',
    )
    .addOption(
      new Option('--inspection <level>', 'how much of the data flow to print')
        .choices(inspectionLevels)
        .default('INFO'),
    )
    .option('--json', 'print the result as JSON, under the names of the TestState API of AWS')
    .addHelpText(
      'after',
      `
A mock is {"result": …} or {"errorOutput": {"error": …, "cause": …}}. A Task, a
Map and a Parallel need one; the result of a Map or a Parallel is a list. A state
configuration has retrierRetryCount, mapIterationFailureCount, mapItemReaderData
and errorCausedByState.
Exit codes: 0 if the state succeeds, or its error is retried or caught; 4 if it
fails.
${examples([
  `dramaturg test-state order.asl.json --state IsLarge --input '{"price": 120}'`,
  `dramaturg test-state order.asl.json --state Price --input order.json --mock '{"result": 120}'`,
  `dramaturg test-state order.asl.json --state Price --mock '{"errorOutput": {"error": "Busy"}}' --state-configuration '{"retrierRetryCount": 1}'`,
  'dramaturg test-state order.asl.json --state Send --input order.json --mock packed.json --inspection DEBUG',
])}`,
    )
    .action(testFile);
}

async function testFile(file: string, options: TestStateOptions): Promise<ExitCode> {
  const checked = await checkFile(file, options);
  const test = { ...checked, ...(await readTest(options)) };
  let result: StateTestResult;
  try {
    result = testState(test);
  } catch (error) {
    if (!(error instanceof StateTestError)) throw error;
    throw new UsageError(visible(error.message), visible(error.hint));
  }
  printTest(result, options.state, options);
  return result.status === 'failed' ? exitCodes.runFailed : exitCodes.fine;
}

type Tested = Pick<StateTest, 'definition' | 'stateName' | 'dialect' | 'missing'>;

/** @throws DefinitionError when the definition of the file has errors, which are printed */
async function checkFile(given: string, options: TestStateOptions): Promise<Tested> {
  const part = await readOnePart(given, options);
  const checked = compile(part.text, part.options);
  const { value } = checked.source;
  if (isSingleState(value)) return checkState(value, given, options);
  requireOptions(checked);
  printProblems(checked, part.file);
  requireNoErrors(checked, part.file);
  if (checked.kind !== 'workflow') {
    throw new UsageError(
      'Only the states of a workflow can be tested one by one.',
      `Run the whole definition with: dramaturg run ${visible(given)}`,
    );
  }
  return testedOf(checked, checked.filled as JsonObject, options);
}

function testedOf(
  { definition: read }: Checked,
  definition: JsonObject,
  { state: stateName }: TestStateOptions,
): Tested {
  const { dialect, missing } = read as Pick<Tested, 'dialect' | 'missing'>;
  return {
    definition,
    ...(dialect && { dialect }),
    ...(missing && { missing }),
    ...(stateName !== undefined && { stateName }),
  };
}

/** The format of workflows. */
const workflowFormat = 'asl';

/** Checks a single state: as the first of a workflow, in which the states that it leads to only succeed. */
function checkState(state: JsonObject, file: string, options: TestStateOptions): Tested {
  const targets = targetsOf(state).map((name) => [name, { Type: 'Succeed' }]);
  const name = 'StateName';
  const workflow = { StartAt: name, States: { ...Object.fromEntries(targets), [name]: state } };
  const text = JSON.stringify(workflow, undefined, 2);
  const checked = check(text, { format: workflowFormat, options: formatOptions(options) });
  requireOptions(checked);
  const title = `${titleOf(file)} in a workflow`;
  printProblems(checked, title);
  requireNoErrors(checked, title);
  return testedOf(checked, state, options);
}

function isSingleState(value: unknown): value is JsonObject {
  return isRecord(value) && typeof value['Type'] === 'string' && !('States' in value);
}

/** The states that the transitions of a state lead to. */
function targetsOf(state: JsonObject): string[] {
  const rules = [state['Choices'], state['Catch']].flat().filter((rule) => isRecord(rule));
  const names = [state['Next'], state['Default'], ...rules.map((rule) => rule['Next'])];
  return names.filter((name): name is string => typeof name === 'string');
}

/** Reads the parts of the test other than the state. `testState` checks them. */
async function readTest(options: TestStateOptions): Promise<Partial<StateTest>> {
  const given = {
    input: await readOption(options.input, '--input', '{"total": 12}'),
    context: await readOption(options.context, '--context', '{"Task": {"Token": "t-1"}}'),
    variables: await readOption(options.variables, '--variables', '{"limit": 3}'),
    mock: await readMock(options),
    configuration: await readOption(
      options.stateConfiguration,
      '--state-configuration',
      '{"retrierRetryCount": 1}',
    ),
  };
  if (given.variables !== undefined && !isRecord(given.variables)) {
    throw new UsageError('--variables is not an object.', 'Write it like this: {"limit": 3}');
  }
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present);
}

async function readOption(
  given: string | undefined,
  option: string,
  example: string,
): Promise<Json | undefined> {
  if (given === undefined) return undefined;
  return readJsonArgument(
    given,
    option,
    `Write it like this: ${option} '${example}', or name a file.`,
  );
}

/** A mock, or the test case of a mock file of Step Functions Local: `MockConfigFile.json#HappyPath`. */
async function readMock(options: TestStateOptions): Promise<Json | undefined> {
  const [file = '', ...name] = options.mock?.split('#') ?? [];
  if (isMockFile(file)) return mockOfCase(file, name.join('#'), options);
  return withResult(await readOption(options.mock, '--mock', '{"result": {"total": 12}}'));
}

async function mockOfCase(file: string, name: string, options: TestStateOptions): Promise<Json> {
  const { source, diagnostics, cases } = readMockFile(await readText(file), file);
  const checked = { source, diagnostics };
  printProblems(checked, file);
  requireNoErrors(checked, file);
  const { state = '', stateConfiguration } = options;
  const found = casesNamed(cases, name);
  const [only] = found.filter(({ states }) => Object.hasOwn(states, state));
  if (!only) {
    const names = cases.map((one) => `${one.machine}#${one.name}`);
    throw new UsageError(
      found.length > 0
        ? `The test case "${visible(name)}" does not mock the state "${visible(state)}".`
        : `"${visible(file)}" has no test case "${visible(name)}".`,
      found.length > 0
        ? `It mocks ${visible(quotedList(Object.keys(found[0]!.states)))}.`
        : `Name one after the file: ${visible(
            quotedList(
              names.map((one) => `${file}#${one}`),
              'or',
            ),
          )}`,
    );
  }
  const { mock, responses } = only.states[state]!;
  const given = await readOption(stateConfiguration, '--state-configuration', '{}');
  const call = (isRecord(given) && Number(given['retrierRetryCount'])) || 0;
  const response = responseOf(responses, call);
  if (!response)
    throw new UsageError(
      `The mock "${visible(mock)}" has no response for call ${call}.`,
      'Calls are counted from 0; "retrierRetryCount" of --state-configuration says which it is.',
    );
  const { Return: result, Throw: failure } = response;
  if (failure) return { errorOutput: { error: failure.Error, cause: failure.Cause ?? '' } };
  // As in Step Functions Local, nothing checks the fields of a result.
  return { result: result!, fieldValidationMode: 'NONE' };
}

/** The result of a mock may be a string with JSON, as in the API of AWS. */
function withResult(mock: Json | undefined): Json | undefined {
  if (!isRecord(mock) || typeof mock['result'] !== 'string') return mock;
  try {
    return { ...mock, result: JSON.parse(mock['result']) as Json };
  } catch {
    throw new UsageError(
      'The "result" of the mock is a text that is not JSON.',
      `Write an object as it is, {"result": {"id": 1}}, and a text in double quotes, {"result": "\\"done\\""}.`,
    );
  }
}

const inspectionLevels = ['INFO', 'DEBUG', 'TRACE'] as const;

/** How much of the data flow a test shows: none, the data between two fields, or also HTTP requests. */
type InspectionLevel = (typeof inspectionLevels)[number];

interface PrintOptions {
  readonly inspection: InspectionLevel;
  readonly json?: true;
}

/** @param name of the state; undefined when it is the whole definition */
function printTest(
  result: StateTestResult,
  name: string | undefined,
  { inspection, json }: PrintOptions,
): void {
  const output = outputTo(process.stdout);
  const shown = inspected(result, inspection);
  if (json) return printJson(result, inspection === 'INFO' ? undefined : shown, output);
  output.write(`${headline(result, name, output)}\n`);
  const parts = Object.entries(shown);
  if (result.output !== undefined) parts.push(['output', result.output]);
  if (parts.length > 0) output.write(`\n${parts.map((part) => lines(part, output)).join('')}`);
}

function inspected({ inspection }: StateTestResult, level: InspectionLevel) {
  if (level === 'INFO') return {};
  if (level === 'TRACE') return inspection;
  const { request: _request, response: _response, ...data } = inspection;
  return data;
}

const statuses = {
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  retriable: 'RETRIABLE',
  caughtError: 'CAUGHT_ERROR',
} as const;

function printJson(
  { status, output, error, cause, nextState }: StateTestResult,
  inspectionData: Readonly<Record<string, Json>> | undefined,
  { write }: Output,
): void {
  const printed = {
    status: statuses[status],
    output,
    // AWS leaves out absent fields of an error.
    error: error ?? undefined,
    cause: cause ?? undefined,
    nextState,
    inspectionData,
  };
  write(jsonText(printed));
}

function headline(result: StateTestResult, name: string | undefined, { paint }: Output): string {
  const state = name === undefined ? 'The state' : `"${visible(name)}"`;
  const { error, cause, nextState, status } = result;
  const next = nextState === undefined ? '' : `"${visible(nextState)}"`;
  const failure = [error ?? 'an error without a name', ...(cause ? [cause] : [])]
    .map((text) => visible(text))
    .join(': ');
  switch (status) {
    case 'succeeded':
      return `${paint('green', '✓')} ${state} succeeds${next && `; the next state is ${next}`}.`;
    case 'caughtError':
      return `${paint('yellow', '!')} ${state} fails, and ${next} catches it: ${failure}`;
    case 'retriable':
      return `${paint('yellow', '!')} ${state} fails, and is retried ${afterDelay(result)}: ${failure}`;
    case 'failed':
      return `${paint('red', '✗')} ${state} fails: ${failure}`;
  }
}

function afterDelay({ inspection }: StateTestResult): string {
  const { retryBackoffIntervalSeconds: seconds } = inspection['errorDetails'] as {
    retryBackoffIntervalSeconds: number;
  };
  return seconds === 0 ? 'at once' : `after ${counted(seconds, 'second')}`;
}

/** A name and its value, on one line when they fit. */
function lines([name, value]: [string, Json], { paint, width }: Output): string {
  const line = visibleJson(JSON.stringify(value));
  const label = paint('dim', name);
  if (name.length + line.length + 2 <= width()) return `${label}: ${line}\n`;
  const indented = visibleJson(JSON.stringify(value, undefined, 2)).replaceAll('\n', '\n  ');
  return `${label}:\n  ${indented}\n`;
}
