import { isRecord, type Json, type JsonObject, realWorld, type World } from '@dramaturg/compiler';
import type { Program } from './behaviour/program.ts';
import { compileProgram } from './compile-program.ts';
import type { Choice, Dialect, Leads, Recovers, State } from './definition/index.ts';
import { isStateType } from './definition/machine.ts';
import { recoveryOf } from './flow/recovery.ts';
import { type Failure, failureFrom, type Outcome, type Run } from './flow/run.ts';

/** A state to look at by itself, and what stands in for the world around it. Spec: AWS "TestState" */
export interface StateTest {
  /** The state; or a workflow that has it somewhere, when `stateName` says which. */
  readonly definition: JsonObject;
  readonly stateName?: string;
  /** An empty object when left out. */
  readonly input?: Json;
  /** The context object as a whole; one like that of a run when left out. */
  readonly context?: JsonObject;
  readonly variables?: JsonObject;
  /** What the state's work comes to: its result, or how it fails. A Task, a Map and a Parallel need one. */
  readonly mock?: {
    readonly result?: Json;
    readonly errorOutput?: { readonly error?: string; readonly cause?: string };
  };
  readonly configuration?: {
    /** How often the retrier that fits has tried again already. */
    readonly retrierRetryCount?: number;
    /** How many items of a Map have failed. */
    readonly mapIterationFailureCount?: number;
    /** What the `ItemReader` of a Map has read. */
    readonly mapItemReaderData?: Json;
    /** Which state within a Map or Parallel has failed. It is for the reader of the test only. */
    readonly errorCausedByState?: string;
  };
  /** Amazon's, when left out. */
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
 * Runs one state by itself, without actors: what becomes of its input, and what its fields do to the data on the way.
 *
 * @throws Error when there is no such state, its type does not exist, or its work needs a `mock` and has none
 */
export function testState(test: StateTest): StateTestResult {
  const { input = {}, variables = {}, world = realWorld, dialect = 'amazon' } = test;
  const { name, state, language } = findState(test);
  if (!isStateType(state['Type']))
    throw new Error(`The state "${name}" has no "Type" that there is.`);
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
    const ended = perform(program, run, test);
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

type Ended = Failure | (Outcome & { readonly nextState: string | undefined });

function perform(program: Program, run: Run, test: StateTest): Ended {
  const { flow, state } = program;
  switch (state.Type) {
    case 'Pass': {
      if (state.QueryLanguage === 'JSONata') return leading(flow.pass(run), state);
      if (state.Result !== undefined) run.inspect?.('result', state.Result);
      return leading(flow.finish(run, state.Result ?? flow.prepare(run, flow.select(run))), state);
    }
    case 'Choice': {
      const rule = program.choose!(run, flow.select(run));
      return { ...flow.chosen(run, rule), nextState: targetOf(state, rule) };
    }
    case 'Fail':
      return program.fail!(run, flow.select(run));
    case 'Wait':
      program.wait!(run, flow.select(run));
      return leading(flow.pass(run), state);
    case 'Succeed':
      return { ...flow.pass(run), nextState: undefined };
    default:
      return work(program, run, test);
  }
}

/** What a state does that has somebody else work for it. */
function work(program: Program, run: Run, { mock, configuration = {} }: StateTest): Ended {
  const { flow, state } = program;
  const selected = flow.select(run);
  if (state.Type === 'Map') {
    const { mapItemReaderData: data, mapIterationFailureCount: failures = 0 } = configuration;
    const { tolerated } = program.map!(run, data ?? selected, data !== undefined);
    if (tolerated !== null && failures > tolerated) {
      const cause = 'The specified tolerated failure threshold was exceeded';
      return { error: 'States.ExceedToleratedFailureThreshold', cause };
    }
  } else flow.prepare(run, selected);
  if (mock?.errorOutput) {
    return { error: mock.errorOutput.error ?? null, cause: mock.errorOutput.cause ?? null };
  }
  if (mock?.result === undefined) {
    throw new Error(`A ${state.Type} needs a mock: what its work comes to, or how it fails.`);
  }
  run.inspect?.('result', mock.result);
  return leading(flow.finish(run, mock.result), state as Leads);
}

function recovered(
  { state, flow, dialect }: Program,
  run: Run,
  failure: Failure,
  { configuration }: StateTest,
): Omit<StateTestResult, 'inspection'> {
  const tried = configuration?.retrierRetryCount ?? 0;
  const attempts = 'Retry' in state ? state.Retry.map(() => tried) : [];
  const recovery = recoveryOf(state, failure, attempts, undefined, dialect, run.world);
  if (!recovery) return { status: 'failed', ...failure };
  if ('retrier' in recovery) return { status: 'retriable', ...failure };
  const { output } = flow.caught(run, recovery.catcher, failure);
  const { Next: nextState } = (state as Recovers).Catch[recovery.catcher]!;
  return { status: 'caughtError', output, ...failure, nextState };
}

function leading(outcome: Outcome, { Next: next, End: end }: Leads): Ended {
  return { ...outcome, nextState: end ? undefined : next };
}

function targetOf({ Choices: rules, Default: fallback }: Choice, rule: number | undefined) {
  return rule === undefined ? fallback : rules[rule]!.Next;
}

/** The state, wherever in the definition it stands, and the language it speaks unless it says so itself. */
function findState({ definition, stateName }: StateTest) {
  const language = definition['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  if (!('States' in definition)) {
    return { name: stateName ?? 'StateName', state: definition, language } as const;
  }
  const machines: unknown[] = [definition];
  for (const machine of machines) {
    const states = isRecord(machine) ? machine['States'] : undefined;
    if (!isRecord(states)) continue;
    for (const [name, state] of Object.entries(states)) {
      if (!isRecord(state)) continue;
      if (name === stateName) return { name, state: state as JsonObject, language } as const;
      const { Branches: branches, Iterator: iterator, ItemProcessor: processor } = state;
      machines.push(...(Array.isArray(branches) ? branches : []), iterator, processor);
    }
  }
  throw new Error(`There is no state "${stateName ?? ''}" in the workflow.`);
}

/** A context object like AWS's when it tests a state. */
function contextOf(state: State, input: Json, world: World): JsonObject {
  const now = new Date(world.now()).toISOString();
  const [execution, workflow, role] = [world.uuid(), world.uuid(), world.uuid()];
  const place = 'arn:aws:states:us-east-1:111111111111';
  const calls = 'Retry' in state;
  return {
    Execution: {
      Id: `${place}:express:${workflow}:${execution}`,
      Input: input,
      Name: execution,
      // Only a state that calls something needs a role to do it.
      RoleArn: calls ? `arn:aws:iam::111111111111:role/${role}` : null,
      StartTime: now,
    },
    StateMachine: { Id: `${place}:stateMachine:${workflow}`, Name: workflow },
    State: { Name: 'StateName', EnteredTime: now, ...(calls && { RetryCount: 0 }) },
  };
}
