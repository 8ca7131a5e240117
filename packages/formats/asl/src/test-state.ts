import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { realWorld, type World } from '@dramaturg/compiler/machine';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import type { Program } from './behaviour/program.ts';
import { compileProgram } from './compile-program.ts';
import { Work } from './data/work.ts';
import type { Dialect, HasRecovery, MissingPaths, State } from './definition/index.ts';
import { showsToken, type Task } from './kinds/task/definition.ts';
import { contextItem, type Failure, type Outcome, type Run, type Variables } from './flow/run.ts';
import { checkDataLimit, checkVariableLimits, failureFrom } from './flow/data-flow.ts';
import { type Recovery, recoveryOf, retrierOf } from './flow/retry.ts';
import { kindOf } from './kinds.ts';
import { dialectOf, readMissingPaths } from './normalise/workflow.ts';
import {
  findState,
  type FoundState,
  requireConfiguration,
  requireMock,
} from './test-state/requirements.ts';
import { type Mock, StateTestError, type TestConfiguration } from './test-state/tester.ts';

/**
 * Runs one state without actors, and shows the data before and after each of its fields.
 *
 * @throws StateTestError when there is no such state, or it cannot have this mock, context or configuration
 *
 * @example
 * ```ts
 * const definition = {
 *   Type: 'Choice',
 *   Choices: [{ Variable: '$.euros', NumericGreaterThan: 100, Next: 'Ask' }],
 *   Default: 'Send',
 * };
 * console.log(testState({ definition, input: { euros: 120 } }).nextState); // → Ask
 * ```
 */
export function testState(test: StateTest): StateTestResult {
  const { definition, input = {}, variables = {}, world = realWorld } = test;
  const found = findState(definition, test.stateName);
  const workflow = 'States' in definition ? definition : { States: { [found.name]: definition } };
  const dialect = test.dialect ?? dialectOf(workflow, test);
  const missing = test.missing ?? readMissingPaths(workflow, dialect);
  const { name, state, language } = found;
  const program = compileProgram({ title: name, state, language, dialect, missing });
  requireSoundTest(test, found, program.state);
  const inspection: Record<string, Json> = { input };
  const context = test.context ?? defaultContext(program.state, found, input, world);
  const run: Run = {
    dialect,
    missing,
    input,
    variables,
    world,
    work: new Work(),
    context: (item) => ({
      ...context,
      ...(item && { Map: { Item: contextItem(item) } }),
    }),
    inspect: (stage, value) => {
      inspection[stage] = value;
    },
  };
  const result = resultOf(program, run, test, inspection);
  return { ...result, inspection };
}

function resultOf(
  program: Program,
  run: Run,
  test: StateTest,
  inspection: Record<string, Json>,
): Omit<StateTestResult, 'inspection'> {
  const show = (variables: Variables) => {
    if (test.variables || Object.keys(variables).length > 0) inspection['variables'] = variables;
  };
  show(run.variables);
  let failure: Failure;
  try {
    const ended = kindOf(program.state.Type).test(program, run, test);
    if (!('error' in ended)) {
      const { nextState } = ended;
      show(withinLimits(program, ended).variables);
      const { output } = ended;
      return { status: 'succeeded', output, ...(nextState !== undefined && { nextState }) };
    }
    failure = ended;
  } catch (thrown) {
    failure = failureFrom(thrown, program.dialect);
  }
  const { state, flow, dialect } = program;
  const recovery = recoveryOf(
    state,
    failure,
    attemptsOf(program, test),
    undefined,
    dialect,
    run.world,
  );
  const details = errorDetails(program, failure, recovery);
  if (Object.keys(details).length > 0) inspection['errorDetails'] = details;
  const { error, cause } = failure;
  if (!recovery) return { status: 'failed', error, cause };
  if ('retrier' in recovery) return { status: 'retriable', error, cause };
  try {
    const caught = withinLimits(program, flow.caught(run, recovery.catcher, failure));
    show(caught.variables);
    const { Next: nextState } = (state as HasRecovery).Catch[recovery.catcher]!;
    return { status: 'caughtError', output: caught.output, error, cause, nextState };
  } catch (thrown) {
    return { status: 'failed', ...failureFrom(thrown, program.dialect) };
  }
}

function withinLimits({ state: { name }, dialect }: Program, outcome: Outcome): Outcome {
  const { output, assigned, variables } = outcome;
  checkDataLimit(output, dialect, name);
  if (assigned) checkVariableLimits(assigned, variables, dialect, name);
  return outcome;
}

/** How often each retrier has tried again: the test gives one number for all. */
function attemptsOf({ state }: Program, { configuration, context }: StateTest): number[] {
  const visible = isRecord(context?.['State']) ? context['State']['RetryCount'] : undefined;
  const tried = configuration?.retrierRetryCount ?? (typeof visible === 'number' ? visible : 0);
  return (state.Retry ?? []).map(() => tried);
}

/** The retrier and the catcher that match the error. Spec: AWS "TestState", InspectionErrorDetails */
function errorDetails({ state, dialect }: Program, failure: Failure, recovery: Recovery) {
  const retrier = retrierOf(state, failure, dialect);
  return {
    ...(recovery && 'catcher' in recovery && { catchIndex: recovery.catcher }),
    ...(retrier !== undefined && { retryIndex: retrier }),
    ...(recovery &&
      'retrier' in recovery && {
        retryBackoffIntervalSeconds: Math.floor(recovery.delay / 1000),
      }),
  };
}

/**
 * Checks the mock, context and configuration of a test, which may come from a file or a command line.
 *
 * @throws StateTestError
 */
function requireSoundTest(test: StateTest, found: FoundState, state: State): void {
  const { mock, context, configuration } = test;
  if (mock !== undefined) requireMock(mock, found.state, state);
  if (context !== undefined) requireContext(context);
  if (configuration !== undefined) requireConfiguration(configuration, found, mock !== undefined);
}

const contextFields = ['Execution', 'State', 'StateMachine', 'Task', 'Map'];

function requireContext(context: unknown): void {
  const wrong = (message: string, hint: string) =>
    new StateTestError('test-state/wrong-context', message, hint);
  const shape = `A context is an object with ${quotedList(contextFields)}, each an object.`;
  if (!isRecord(context)) throw wrong('The context is not an object.', shape);
  for (const [field, value] of Object.entries(context)) {
    if (!contextFields.includes(field)) {
      throw wrong(
        `The context object has no field "${field}".`,
        didYouMean(field, contextFields) ?? shape,
      );
    }
    if (!isRecord(value)) throw wrong(`"${field}" of the context is not an object.`, shape);
  }
}

/**
 * The context object of a test without one, like AWS's. A state within a Map is at the first item: the input. Spec: AWS
 * "TestState", automatic context population
 */
function defaultContext(state: State, { map }: FoundState, input: Json, world: World): JsonObject {
  const now = new Date(world.now()).toISOString();
  const [execution, workflow, role] = [world.uuid(), world.uuid(), world.uuid()];
  const arn = 'arn:aws:states:us-east-1:111111111111';
  const hasCalls = 'Retry' in state;
  return {
    Execution: {
      Id: `${arn}:express:${workflow}:${execution}`,
      Input: input,
      Name: execution,
      // Only a state with calls needs a role.
      RoleArn: hasCalls ? `arn:aws:iam::111111111111:role/${role}` : null,
      StartTime: now,
    },
    StateMachine: { Id: `${arn}:stateMachine:${workflow}`, Name: workflow },
    // AWS gives every state this name, even if the test names the state.
    State: { Name: 'StateName', EnteredTime: now, ...(hasCalls && { RetryCount: 0 }) },
    ...(map && { Map: { Item: { Index: 0, Value: input, ...sourceOf(map) } } }),
    ...(state.Type === 'Task' && showsToken(state as Task) && { Task: { Token: world.uuid() } }),
  };
}

/** The source of the items of a distributed Map without an `ItemReader`. AWS "Context object", Map */
function sourceOf({ ItemProcessor: processor, ItemReader: reader }: JsonObject) {
  const config = isRecord(processor) ? processor['ProcessorConfig'] : undefined;
  const isDistributed = isRecord(config) && config['Mode'] === 'DISTRIBUTED';
  return isDistributed && reader === undefined ? { Source: 'STATE_DATA' } : {};
}

/** A test of a single state, with a mock of its calls. Spec: AWS "TestState" */
export interface StateTest {
  /** A state, or a workflow that contains the state `stateName` at any depth. */
  readonly definition: JsonObject;
  readonly stateName?: string;
  /** An empty object by default. */
  readonly input?: Json;
  /** The whole context object; by default, one as in a run. */
  readonly context?: JsonObject;
  readonly variables?: JsonObject;
  /** The result of the state's work, or its error. A Task, a Map and a Parallel need one. */
  readonly mock?: Mock;
  readonly configuration?: TestConfiguration;
  /** Follows from the definition by default. */
  readonly dialect?: Dialect;
  /** The value of paths to nothing; follows from the definition by default. */
  readonly missing?: MissingPaths;
  readonly world?: World;
}

export interface StateTestResult {
  /** `retriable`: a retrier would try again. `caughtError`: a catcher leads to `nextState`. */
  readonly status: 'succeeded' | 'failed' | 'retriable' | 'caughtError';
  readonly output?: Json;
  readonly error?: string | null;
  readonly cause?: string | null;
  /** Undefined when the state ends its machine. */
  readonly nextState?: string;
  /** The data between two fields up to the end or the failure, under the names of AWS's `InspectionData`. */
  readonly inspection: Readonly<Record<string, Json>>;
}
