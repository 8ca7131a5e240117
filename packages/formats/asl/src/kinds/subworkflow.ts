import type { ChartNode } from '@dramaturg/compiler/chart';
import * as z from 'zod/mini';
import type { Part } from '../authored.ts';
import { budgetBehaviour, budgetNodes } from '../behaviour/budget.ts';
import {
  callKey,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
} from '../behaviour/state-at-work.ts';
import { composed, references } from '../behaviour/part.ts';
import { remainingBudget } from '../behaviour/spending.ts';
import { prepareState } from '../behaviour/state-steps.ts';
import type { stateBehaviour } from '../behaviour/state.ts';
import { sourceAt } from '../check/flow/value-set.ts';
import { type StateWays, worked } from '../check/flow/language-flow.ts';
import { visitOf, withVisit, type WorkVisit } from '../context.ts';
import { compileTemplate } from '../data/template.ts';
import { parseDuration } from '../data/timestamp.ts';
import { optional, described, text } from '../definition/field.ts';
import {
  type HasNext,
  type HasRecovery,
  type StateBase,
  stateObject,
} from '../definition/state.ts';
import { evaluation } from '../flow/jsonpath-flow.ts';
import { type NodeContext, StateNodes } from '../lower/nodes.ts';
import { optionalJson, optionalString } from '../normalise/fields.ts';
import { type Reading, readOutcome } from '../normalise/state.ts';
import { testWork } from '../test-state/tester.ts';
import type { Kind } from './kind.ts';
import { finishTask, timeOut, timeoutTimer } from './task/behaviour.ts';

/** Spec: Agent 10 §Workflow states */
const subworkflow = stateObject(
  ['filters', 'resultSelector', 'resultPath', 'retryAndCatch', 'transition', 'agentBlocks'],
  {
    /** Agent 10 §Workflow states */
    WorkflowId: described(text, 'Which workflow is run.'),
    /** Agent 10 §Workflow states */
    Input: optional(z.unknown(), 'Its input, a template.'),
    /** Agent 10 §Workflow states */
    Timeout: optional(text, 'How long it may take, such as `30m`.'),
  },
);

export type Subworkflow = ReturnType<typeof readSubworkflow>;

/** An Include whose template the host runs as an agent. */
interface TemplateCall extends StateBase, HasRecovery, HasNext {
  readonly Type: 'Include';
  readonly Template: string;
}

const subworkflowWays: StateWays<Subworkflow> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const selected = flow.select();
    if (state.Input !== undefined) {
      flow.template(state.Input, selected, sourceAt(sight.state, 'Input'));
    }
    return worked(visit, 'any');
  },
};

const refer = references<typeof stateBehaviour & typeof subworkflowBehaviour>();

/** Runs another definition as an agent of this one. Spec: Agent 10 */
export function subworkflowNode(
  state: Subworkflow | TemplateCall,
  id: string,
  context: NodeContext,
): ChartNode {
  const nodes = new StateNodes(state, id, context);
  const { params } = nodes;
  const call = nodes.invoke({
    name: 'work',
    src: 'runAgent',
    input: refer.input('subworkflowCall', params),
    done: 'finishing',
  });
  const timeout = nodes.invoke({
    name: 'timeout',
    src: 'timer',
    input: refer.input('timeoutTimer', params),
    done: [nodes.failing(refer.action('timeOut', params))],
  });
  const isLimited = state.Type === 'Workflow' && state.Timeout !== undefined;
  return nodes.whole({
    prepare: refer.action('prepareSubworkflow', params),
    working: {
      ...(context.budget && budgetNodes(nodes, [{ target: nodes.to('working') }])),
      working: { id: `${id}:working`, invoke: isLimited ? [call, timeout] : [call] },
    },
    finish: refer.action('finishTask', params),
  });
}

/** Prepares a Workflow state, or an Include with a template that the host runs as an agent. Spec: Agent 10 */
const prepareSubworkflow: StateAction = (scope, params) =>
  prepareState(scope, params, (state, progress) => {
    const { flow, state: definition, dialect } = state.program;
    const run = state.run(progress);
    const selected = flow.select(run);
    const { Input: input, Timeout: authored } = definition as Partial<Subworkflow>;
    const work =
      input === undefined
        ? flow.prepare(run, selected)
        : compileTemplate(input, dialect, 'Input')(evaluation(run, selected));
    const timeoutMs = authored === undefined ? undefined : parseDuration(authored);
    const timeout = timeoutMs === undefined ? {} : { timeoutAt: state.world.now() + timeoutMs };
    return state.effects(withVisit<WorkVisit>(progress, { work, ...timeout }));
  });

const subworkflowCall: StateInputMaker = (scope, params) => {
  const work = new StateAtWork(scope, params);
  const state = work.program.state as Subworkflow | TemplateCall;
  const remaining = remainingBudget(work);
  return {
    key: callKey(scope.context, params.machine, 'work'),
    agent: state.Type === 'Include' ? `template:${state.Template}` : `workflow:${state.WorkflowId}`,
    input: visitOf<WorkVisit>(work.progress).work!,
    ...(remaining && { left: remaining }),
  };
};

export const subworkflowBehaviour = composed(budgetBehaviour, {
  actions: { prepareSubworkflow, finishTask, timeOut },
  inputs: { subworkflowCall, timeoutTimer },
});

export const subworkflowKind: Kind<Subworkflow> = {
  definition: {
    schema: subworkflow,
    isAgentOnly: true,
    durations: ['Timeout'],
  },
  read: readSubworkflow,
  rules: [],
  ways: subworkflowWays,
  node: subworkflowNode,
  behaviour: subworkflowBehaviour,
  test: testWork,
};

function readSubworkflow(base: StateBase, authored: Part, reading: Reading) {
  const { value: fields } = authored;
  return {
    ...base,
    ...readOutcome(authored, reading),
    Type: 'Workflow' as const,
    WorkflowId: optionalString(fields['WorkflowId']) ?? '',
    Input: optionalJson(fields['Input']),
    Timeout: optionalString(fields['Timeout']),
  };
}
