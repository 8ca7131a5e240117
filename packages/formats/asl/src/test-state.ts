import { isRecord, type Json } from '@dramaturg/compiler';
import { realWorld } from '@dramaturg/compiler/machine';
import type { Program } from './behaviour/program.ts';
import { compileProgram } from './compile-program.ts';
import type { HasRecovery } from './definition/index.ts';
import { contextItem } from './flow/context-object.ts';
import { checkDataLimit, checkVariableLimits } from './flow/data-limit.ts';
import { type Recovery, recoveryOf, retrierOf } from './flow/retry.ts';
import type { Failure, Outcome, Run, Variables } from './flow/run.ts';
import { failureFrom } from './flow/thrown-failure.ts';
import { kindOf } from './kinds.ts';
import { dialectOf } from './normalise/dialect.ts';
import { readMissingPaths } from './normalise/workflow.ts';
import { findState } from './test-state/find-state.ts';
import { requireSoundTest } from './test-state/require-sound-test.ts';
import type { StateTest, StateTestResult } from './test-state/state-test.ts';
import { defaultContext } from './test-state/test-context.ts';
import { Work } from './data/work.ts';

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

/** How often each retrier has tried again; the test says it for the one that fits. */
function attemptsOf({ state }: Program, { configuration, context }: StateTest): number[] {
  const visible = isRecord(context?.['State']) ? context['State']['RetryCount'] : undefined;
  const tried = configuration?.retrierRetryCount ?? (typeof visible === 'number' ? visible : 0);
  return (state.Retry ?? []).map(() => tried);
}

/** The retrier and the catcher that the error meets. Spec: AWS "TestState", InspectionErrorDetails */
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
