import { type Json, type JsonObject, realWorld, type World } from '@dramaturg/compiler';
import type { Program } from './behaviour/program.ts';
import { compileProgram } from './compile-program.ts';
import type { Dialect, HasRecovery, State } from './definition/index.ts';
import { recoveryOf } from './flow/retry.ts';
import { type Failure, failureFrom, type Run } from './flow/run.ts';
import { isStateType, kindOf } from './kinds.ts';
import type { Mock, TestConfiguration } from './test-state/tester.ts';
import { authoredStates } from './walk.ts';

/** A test of a single state, with mocks of the calls around it. Spec: AWS "TestState" */
export interface StateTest {
  /** A state, or a workflow that contains the state `stateName`. */
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
  /** `amazon` by default. */
  readonly dialect?: Dialect;
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
  /** The data between two fields, under AWS's names: `afterInputPath`, `afterParameters`, `result`, ... */
  readonly inspection: Readonly<Record<string, Json>>;
}

/**
 * Runs one state without actors, and shows the data before and after each of its fields.
 *
 * @throws Error when the state or its type does not exist, or the state needs a `mock` and has none
 */
export function testState(test: StateTest): StateTestResult {
  const { input = {}, variables = {}, world = realWorld, dialect = 'amazon' } = test;
  const { name, state, language } = findState(test);
  if (!isStateType(state['Type'])) throw new Error(`The state "${name}" has no known "Type".`);
  const program = compileProgram({ title: name, state, language, dialect });
  const inspection: Record<string, Json> = { input, ...(test.variables && { variables }) };
  const run: Run = {
    dialect,
    input,
    variables,
    world,
    context: (item) => ({
      ...(test.context ?? contextOf(program.state, input, world)),
      ...(item && { Map: { Item: { Index: item.index, Value: item.value } } }),
    }),
    inspect: (stage, value) => {
      inspection[stage] = value;
    },
  };
  try {
    const ended = kindOf(program.state.Type).test(program, run, test);
    if ('error' in ended) return { ...recovered(program, run, ended, test), inspection };
    const { output, nextState } = ended;
    return {
      status: 'succeeded',
      output,
      ...(nextState !== undefined && { nextState }),
      inspection,
    };
  } catch (thrown) {
    return { ...recovered(program, run, failureFrom(thrown), test), inspection };
  }
}

function recovered(
  { state, flow, dialect }: Program,
  run: Run,
  failure: Failure,
  { configuration }: StateTest,
): Omit<StateTestResult, 'inspection'> {
  const tried = configuration?.retrierRetryCount ?? 0;
  const attempts = (state.Retry ?? []).map(() => tried);
  const recovery = recoveryOf(state, failure, attempts, undefined, dialect, run.world);
  if (!recovery) return { status: 'failed', ...failure };
  if ('retrier' in recovery) return { status: 'retriable', ...failure };
  const { output } = flow.caught(run, recovery.catcher, failure);
  const { Next: nextState } = (state as HasRecovery).Catch[recovery.catcher]!;
  return { status: 'caughtError', output, ...failure, nextState };
}

/** Finds the state at any depth of the definition, and its default query language. */
function findState({ definition, stateName }: StateTest) {
  const language = definition['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  if (!('States' in definition)) {
    return { name: stateName ?? 'StateName', state: definition, language } as const;
  }
  for (const { name, state } of authoredStates(definition)) {
    if (name === stateName) return { name, state: state as JsonObject, language } as const;
  }
  throw new Error(`There is no state "${stateName ?? ''}" in the workflow.`);
}

/** A context object like AWS's when it tests a state. */
function contextOf(state: State, input: Json, world: World): JsonObject {
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
    State: { Name: 'StateName', EnteredTime: now, ...(hasCalls && { RetryCount: 0 }) },
  };
}
