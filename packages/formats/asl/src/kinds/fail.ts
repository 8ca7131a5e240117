import type { Json } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { authoredPart, type Part } from '../authored.ts';
import { type BehaviourPart, references } from '../behaviour/part.ts';
import type { StateAction } from '../behaviour/state-at-work.ts';
import { enterState } from '../behaviour/state-steps.ts';
import { sourceValues, type StateWays } from '../check/flow/language-flow.ts';
import { atMostOne, type StateRule } from '../check/rule.ts';
import { StatesError } from '../data/states-error.ts';
import { agentOnly, optional, pathOnly, text } from '../definition/field.ts';
import { type StateBase, stateObject, type ValueSource } from '../definition/state.ts';
import type { Dialect } from '../definition/machine.ts';
import { dialects } from '../dialect.ts';
import type { Failure, Run } from '../flow/run.ts';
import { compileValueSource } from '../flow/value-source.ts';
import { failureExitOf, type NodeContext, stateMeta, stateParams } from '../lower/nodes.ts';
import { isText, readValueSource } from '../normalise/fields.ts';
import type { StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
const failFields = stateObject(['agentBlocks'], {
  /** Agent 2 §Fail State, Amazon #fail-state */
  Error: optional(text, "The error's name."),
  /** Amazon #fail-state */
  ErrorPath: pathOnly(text, 'Where the name is.'),
  /** Agent 2 §Fail State, Amazon #fail-state */
  Cause: optional(text, 'What people should know.'),
  /** Amazon #fail-state */
  CausePath: pathOnly(text, 'Where the text is.'),
  /** Agent 8 by example */
  'Error.$': agentOnly(text, '`ErrorPath` in Agent State Language.'),
  /** Agent 8 by example */
  'Cause.$': agentOnly(text, '`CausePath` in Agent State Language.'),
});

export type Fail = ReturnType<typeof readFail>;

/** Reports errors and causes given in two fields. Spec: states-language.net/spec.html#fail-state */
const repeatedErrors: StateRule<Fail> = (state, { report }) => {
  for (const field of ['Error', 'Cause']) {
    atMostOne(authoredPart(state), [field, `${field}Path`, `${field}.$`], report);
  }
};

const failWays: StateWays<Fail> = {
  enter({ state, sight, flow }) {
    const selected = flow.select();
    sourceValues(state.Error, selected, sight);
    sourceValues(state.Cause, selected, sight);
    return { exits: [] };
  },
};

const refer = references<typeof failBehaviour>();

function failNode(state: Fail, id: string, context: NodeContext): ChartNode {
  return {
    id,
    entry: [refer.action('fail', stateParams(context, id))],
    always: [failureExitOf(context)],
    meta: stateMeta(state, context),
  };
}

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
const fail: StateAction = (scope, params) =>
  enterState<FailProgram>(scope, params, (state, progress) => {
    const { flow, failure } = state.program;
    const run = state.run(progress);
    return state.effects({ ...progress, failure: failure(run, flow.select(run)) });
  });

const failBehaviour = { actions: { fail } } satisfies BehaviourPart;

const testFail: StateTester<FailProgram> = ({ flow, failure }, run) =>
  failure(run, flow.select(run));

export const failKind: Kind<Fail, FailProgram> = {
  definition: {
    schema: failFields,
  },
  read: readFail,
  rules: [repeatedErrors],
  ways: failWays,
  node: failNode,
  compile: compileFail,
  behaviour: failBehaviour,
  test: testFail,
};

/** The slice of the program that a Fail owns. */
export interface FailProgram {
  readonly failure: (run: Run, selected: Json) => Failure;
}

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
function compileFail(state: Fail, dialect: Dialect): FailProgram {
  const error = compileText(state.Error, dialect, 'Error');
  const cause = compileText(state.Cause, dialect, 'Cause');
  if (!error && !cause) return { failure: () => dialects[dialect].wordlessFail };
  return {
    failure: (run, selected) => ({
      error: error?.(run, selected) ?? null,
      cause: cause?.(run, selected) ?? null,
    }),
  };
}

function compileText(
  source: ValueSource | undefined,
  dialect: Dialect,
  field: string,
): ((run: Run, selected: Json) => string | null) | undefined {
  if (!source) return undefined;
  const read = compileValueSource(source, dialect, field);
  return (run, selected) => {
    const value = read(run, selected);
    if (typeof value === 'string') return value;
    if (value === null && 'path' in source && run.missing === 'null') return null;
    throw new StatesError(
      'expression' in source ? 'States.QueryEvaluationError' : 'States.Runtime',
      `The ${field} of the Fail state is not a string.`,
    );
  };
}

function readFail(base: StateBase, authored: Part) {
  return {
    ...base,
    Type: 'Fail' as const,
    Error: readValueSource(authored, 'Error', isText, base.QueryLanguage),
    Cause: readValueSource(authored, 'Cause', isText, base.QueryLanguage),
  };
}
