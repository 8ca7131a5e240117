import { InputError, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import { expectations, happenings, type TestStep, untilTheEnd } from './test-file.ts';
import { checks, type Disappointment } from './expectations.ts';
import { type Example } from './examples.ts';
import { fieldsIn } from './read-test-file.ts';
import { type Happened, Stage } from './stage.ts';
import type { MadeCall } from './scripted-ports.ts';
import type { StageOptions } from './stage-options.ts';
import { asStepError } from './step-error.ts';

/** An expectation that does not hold, or a step that cannot be carried out. */
export interface TestFailure extends Disappointment {
  /** The place in the test: `steps`, index, field. */
  readonly path: Path;
  /** The expected value; absent when the step itself failed. */
  readonly expected?: Json;
  /** The calls of the step, with the options that an answer can choose from. */
  readonly calls?: readonly string[];
}

export interface TestResult {
  readonly name: string;
  /** The row of the examples, from 0. */
  readonly row?: number;
  readonly failures: readonly TestFailure[];
  /** How long the test took, in milliseconds. */
  readonly duration: number;
  /** The record of the instance, if it was requested. Absent when the instance could not be started. */
  readonly record?: NonNullable<Awaited<ReturnType<Stage['record']>>>;
}

/** Runs a test to its end, or to the first step that fails. All expectations of that step are checked. */
export async function runTest(
  { test, name, row }: Example,
  options: Omit<StageOptions, 'agents' | 'input' | 'lifecycleInput'> & {
    readonly agents?: JsonObject;
    /** Whether to keep the record of the instance, for coverage. */
    readonly isRecorded?: boolean;
  },
): Promise<TestResult> {
  const begun = performance.now();
  const given: StageOptions = {
    ...options,
    agents: { ...options.agents, ...test.agents },
    ...(test.mocked ? { mocked: test.mocked } : {}),
    ...(test.input ? { input: test.input } : {}),
    ...(test.lifecycleInput ? { lifecycleInput: test.lifecycleInput } : {}),
  };
  const stage = await Stage.open(given);
  try {
    const failures = await play(stage, given, test.steps);
    const record = options.isRecorded ? await stage.record() : undefined;
    return {
      name,
      ...(row === undefined ? {} : { row }),
      failures,
      duration: performance.now() - begun,
      ...(record ? { record } : {}),
    };
  } finally {
    await stage.close();
  }
}

async function play(
  stage: Stage,
  options: StageOptions,
  steps: readonly TestStep[],
): Promise<readonly TestFailure[]> {
  const [first] = steps;
  const isStart = first !== undefined && fieldsIn(first, happenings).length === 0;
  try {
    await stage.start(options, isStart ? (first.answers ?? []) : []);
  } catch (error) {
    const field = options.input ? 'input' : options.lifecycleInput ? 'lifecycleInput' : undefined;
    const isAboutInput = error instanceof InputError && field !== undefined;
    return [failed(error, isAboutInput ? [field] : ['steps', 0])];
  }
  if (steps.length === 0) return endAsMocked(stage);
  for (const [index, step] of steps.entries()) {
    const path = ['steps', index];
    try {
      if (index > 0 || !isStart) await stage.happen(step);
    } catch (error) {
      return [failed(error, path)];
    }
    const happened = await stage.read();
    const failures = [
      ...unexpectedFailure(step, happened, path),
      ...failuresOf(step, happened, path),
    ];
    const [unused] = stage.takeUnusedAnswers();
    if (failures.length > 0) return failures;
    if (unused) return [unusedAnswer(unused, path)];
  }
  return [];
}

/** Lets time pass to the end of the run. It must succeed, or fail with an error that a mock throws or a Fail state gives. */
async function endAsMocked(stage: Stage): Promise<readonly TestFailure[]> {
  try {
    await stage.happen({ later: untilTheEnd });
  } catch (error) {
    return [failed(error, [])];
  }
  const happened = await stage.read();
  const { failure } = happened.view;
  if (!failure) {
    const disappointment = checks.outcome('succeeded', happened);
    return disappointment ? [{ ...disappointment, path: [] }] : [];
  }
  const { error, cause } = failure;
  const place = failure.state?.path.at(-1)?.state;
  const isOfFail = happened.events.some(({ kind, state }) => kind === 'Fail' && state === place);
  if (isOfFail || stage.hasMocked(error)) return [];
  return [
    {
      message: `The run has failed in "${place}": ${[error, cause].filter(Boolean).join(': ')}`,
      hint: 'Neither a mock nor a Fail state gives this error. Give the input of the run with --input, or in a test file that names the test case as "mock".',
      path: [],
    },
  ];
}

function failuresOf(step: TestStep, happened: Happened, path: Path): TestFailure[] {
  return fieldsIn(step, expectations).flatMap((name) => {
    const expected = step[name] as Json;
    const check = checks[name] as (value: unknown, seen: Happened) => Disappointment | undefined;
    const disappointment = check(expected, happened);
    if (!disappointment) return [];
    return [
      { ...disappointment, expected, path: [...path, name], calls: happened.calls.map(wordOf) },
    ];
  });
}

/** A call that fails although the test does not want it to: most often an answer of a wrong form. */
function unexpectedFailure(
  { answers = [], emitted }: TestStep,
  { events }: Happened,
  path: Path,
): TestFailure[] {
  const failure = events.find(({ type }) => type === 'turn.failed');
  if (!failure || emitted !== undefined || answers.some(({ fails }) => fails !== undefined))
    return [];
  return [
    {
      message: `The call of ${failure['port'] as string} has failed: ${failure['message'] as string}`,
      hint: 'If that is what you test, write it: "emitted: { type: turn.failed }".',
      path: answers.length > 0 ? [...path, 'answers'] : path,
    },
  ];
}

function failed(error: unknown, path: Path): TestFailure {
  const { message, hint } = asStepError(error);
  return { message, hint, path };
}

function unusedAnswer(answer: JsonObject, path: Path): TestFailure {
  const [port = ''] = Object.keys(answer);
  return {
    message: `No call has asked for this answer of ${port}.`,
    hint: 'Remove it, or look at which calls the step makes.',
    path: [...path, 'answers'],
  };
}

function wordOf({ port, input }: MadeCall): string {
  const { options, asks, agent, tool } = input;
  const names = (list: unknown, key: string) =>
    (list as readonly JsonObject[]).map((each) => each[key] as string).join(', ');
  if (port === 'choose') return `choose (${names(options, 'id')})`;
  if (port === 'reply') return `reply (asks ${names(asks, 'name') || 'nothing'})`;
  const name = agent ?? tool;
  return typeof name === 'string' ? `${port} (${name})` : port;
}
