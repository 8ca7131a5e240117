import type { Json } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { authoredPart, type Part } from '../authored.ts';
import { type BehaviourPart, references } from '../behaviour/part.ts';
import type { StateAction } from '../behaviour/state-at-work.ts';
import { continueState, enterState, leaveState } from '../behaviour/state-steps.ts';
import { type stateBehaviour, waitTimer } from '../behaviour/state.ts';
import { onwards, sourceValues, type StateWays } from '../check/flow/language-flow.ts';
import { exactlyOne, type StateRule } from '../check/rule.ts';
import { type Visit, withVisit } from '../context.ts';
import { StatesError } from '../data/states-error.ts';
import { isTimestamp, parseTimestamp } from '../data/timestamp.ts';
import {
  atLeast0,
  hasHole,
  mostSeconds,
  number,
  optional,
  pathOnly,
  text,
} from '../definition/field.ts';
import { type StateBase, stateObject, type ValueSource } from '../definition/state.ts';
import type { Dialect } from '../definition/machine.ts';
import { badTimestamp } from '../diagnostics/choice.ts';
import type { Run } from '../flow/run.ts';
import { compileValueSource } from '../flow/value-source.ts';
import { leadOf, type NodeContext, stateMeta, StateNodes } from '../lower/nodes.ts';
import { isNumber, isText, readValueSource } from '../normalise/fields.ts';
import { readLeads } from '../normalise/state.ts';
import { endWith, type StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

/** Spec: Agent 2 §Wait State, Amazon #wait-state */
const wait = stateObject(['filters', 'output', 'assign', 'transition', 'agentBlocks'], {
  /** Agent 2 §Wait State, Amazon #wait-state */
  Seconds: optional(
    number('a whole number of seconds from 0 to 99,999,999', atLeast0),
    'How long.',
  ),
  /** Agent 2 §Wait State, Amazon #wait-state */
  SecondsPath: pathOnly(text, 'Where the number of seconds is.'),
  /** Agent 2 §Wait State, Amazon #wait-state */
  Timestamp: optional(text, 'Until when.'),
  /** Agent 2 §Wait State, Amazon #wait-state */
  TimestampPath: pathOnly(text, 'Where the timestamp is.'),
});

export type Wait = ReturnType<typeof readWait>;

const ways = ['Seconds', 'SecondsPath', 'Timestamp', 'TimestampPath'];

/** Reports Waits that give no time, or several. Spec: Agent 2 §Wait State, states-language.net/spec.html#wait-state */
const wrongDurations: StateRule<Wait> = (state, { definition, report }) => {
  exactlyOne('A Wait state', authoredPart(state), ways, report);
  const { Timestamp: timestamp } = state;
  if (!timestamp || !('value' in timestamp) || isTimestamp(timestamp.value)) return;
  if (definition.isTemplate && hasHole(timestamp.value)) return;
  report(badTimestamp(timestamp.value, false), timestamp.at);
};

const waitWays: StateWays<Wait> = {
  enter({ state, sight, flow }) {
    const selected = flow.select();
    sourceValues(state.Seconds, selected, sight);
    sourceValues(state.Timestamp, selected, sight);
    return { exits: onwards(state, flow.pass()) };
  },
};

/** The slice of the program that a Wait owns. */
export interface WaitProgram {
  /**
   * When the Wait ends, in milliseconds since 1970 UTC. A moment in the past ends it immediately.
   *
   * @throws StatesError States.Runtime when the value is not a duration or a timestamp
   */
  readonly waitUntil: (run: Run, selected: Json) => number;
}

/** Spec: Agent 2 §Wait State, Amazon #wait-state */
function compileWait(state: Wait, dialect: Dialect): WaitProgram {
  const until = compileUntil(state, dialect);
  return {
    waitUntil(run, selected) {
      const moment = until(run, selected);
      if (moment - run.world.now() <= longestWait) return moment;
      throw new StatesError('States.Runtime', 'Wait state delay is too long.');
    },
  };
}

/** The limit of AWS: as many seconds as a signed 32-bit integer holds. */
const longestWait = (2 ** 31 - 1) * 1000;

function compileUntil(state: Wait, dialect: Dialect): (run: Run, selected: Json) => number {
  if (state.Seconds) {
    const { Seconds: given } = state;
    const seconds = compileValueSource(given, dialect, 'Seconds');
    return (run, selected) => run.world.now() + toSeconds(seconds(run, selected), given) * 1000;
  }
  const { Timestamp: given } = state;
  if (!given) return (run) => run.world.now();
  const timestamp = compileValueSource(given, dialect, 'Timestamp');
  return (run, selected) => toMoment(timestamp(run, selected), given);
}

function toSeconds(value: Json, given: ValueSource): number {
  const seconds = typeof value === 'number' ? value : NaN;
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= mostSeconds) return seconds;
  throw unreadable('Seconds', 'cannot be parsed as a long value', value, given);
}

function toMoment(value: Json, given: ValueSource): number {
  const moment = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (moment !== undefined) return moment;
  throw unreadable('Timestamp', 'cannot be parsed as a timestamp', value, given);
}

function unreadable(field: string, because: string, value: Json, given: ValueSource): StatesError {
  const shown = JSON.stringify(value).slice(0, 200);
  if ('expression' in given) {
    return new StatesError(
      'States.QueryEvaluationError',
      `The JSONata expression '${given.expression.slice(2, -2).trim()}' specified for the field '${field}' ${because}: ${shown}`,
    );
  }
  const source = 'path' in given ? `${field}Path parameter` : field;
  const found = 'path' in given ? `${given.path} == ${shown}` : shown;
  return new StatesError('States.Runtime', `The ${source} ${because}: ${found}`);
}

const refer = references<typeof waitBehaviour & typeof stateBehaviour>();

function waitNode(state: Wait, id: string, context: NodeContext): ChartNode {
  const nodes = new StateNodes(state, id, context);
  const { params } = nodes;
  return {
    id,
    initial: 'preparing',
    states: {
      ...nodes.step('preparing', refer.action('prepareWait', params), { target: 'waiting' }),
      ...nodes.call('waiting', {
        name: 'timer',
        src: 'timer',
        input: refer.input('waitTimer', params),
        done: [{ target: 'finishing' }],
      }),
      ...nodes.step('finishing', refer.action('finishWait', params), leadOf(context, state)),
    },
    meta: stateMeta(state, context),
  };
}

/** Spec: Agent 2 §Wait State, Amazon #wait-state */
const prepareWait: StateAction = (scope, params) =>
  enterState<WaitProgram>(scope, params, (state, progress) => {
    const { flow, waitUntil } = state.program;
    const run = state.run(progress);
    const until = waitUntil(run, flow.select(run));
    return state.effects(withVisit<Visit>(progress, { until }));
  });

const finishWait: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) =>
    leaveState(state, progress, state.program.flow.pass(state.run(progress))),
  );

const waitBehaviour = {
  actions: { prepareWait, finishWait },
  inputs: { waitTimer },
} satisfies BehaviourPart;

const testWait: StateTester<WaitProgram> = ({ flow, state, waitUntil }, run) => {
  waitUntil(run, flow.select(run));
  return endWith(flow.pass(run), state);
};

export const waitKind: Kind<Wait, WaitProgram> = {
  definition: {
    schema: wait,
  },
  read: readWait,
  rules: [wrongDurations],
  ways: waitWays,
  node: waitNode,
  compile: compileWait,
  behaviour: waitBehaviour,
  test: testWait,
};

function readWait(base: StateBase, authored: Part) {
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Wait' as const,
    /** One of the two is there, or a rule reports it. */
    Seconds: readValueSource(authored, 'Seconds', isNumber, base.QueryLanguage),
    Timestamp: readValueSource(authored, 'Timestamp', isText, base.QueryLanguage),
  };
}
