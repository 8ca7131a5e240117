import type { ChartNode } from '@dramaturg/compiler/chart';
import { type BehaviourPart, references } from '../behaviour/part.ts';
import type { StateAction } from '../behaviour/state-at-work.ts';
import { enterState, leaveState } from '../behaviour/state-steps.ts';
import type { StateWays } from '../check/flow/language-flow.ts';
import { type StateBase, stateObject } from '../definition/state.ts';
import { type NodeContext, stateMeta, stateParams, withFailureExit } from '../lower/nodes.ts';
import type { StateTester } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';

/** Spec: Agent 2 §Succeed State, Amazon #succeed-state */
const succeedFields = stateObject(['filters', 'output', 'agentBlocks']);

export type Succeed = ReturnType<typeof readSucceed>;

const succeedWays: StateWays<Succeed> = {
  enter: ({ flow }) => ({ exits: [{ passed: flow.pass() }] }),
};

const refer = references<typeof succeedBehaviour>();

function succeedNode(state: Succeed, id: string, context: NodeContext): ChartNode {
  return {
    id,
    entry: [refer.action('succeed', stateParams(context, id))],
    always: withFailureExit(context, [{ target: context.end, meta: { origin: state.at } }]),
    meta: stateMeta(state, context),
  };
}

/** Spec: Agent 2 §Succeed State, Amazon #succeed-state */
const succeed: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) =>
    leaveState(state, progress, state.program.flow.pass(state.run(progress))),
  );

const succeedBehaviour = { actions: { succeed } } satisfies BehaviourPart;

const testSucceed: StateTester = ({ flow }, run) => ({
  ...flow.pass(run),
  nextState: undefined,
});

export const succeedKind: Kind<Succeed> = {
  definition: { schema: succeedFields },
  read: readSucceed,
  rules: [],
  ways: succeedWays,
  node: succeedNode,
  behaviour: succeedBehaviour,
  test: testSucceed,
};

function readSucceed(base: StateBase) {
  return { ...base, Type: 'Succeed' as const };
}
