import type { Json } from '@dramaturg/compiler';
import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { problemsOf } from '@dramaturg/compiler/format';
import {
  type Decision,
  type Question,
  readDecision,
  whyRefused,
} from '@dramaturg/compiler/machine';
import { didYouMean } from '@dramaturg/compiler/text';
import { authoredPart, conditionsOf, partsOf } from '../../authored.ts';
import type { stateBehaviour } from '../../behaviour/state.ts';
import { onwards, sourceValues, type StateWays, store } from '../../check/flow/language-flow.ts';
import { queryValues } from '../../check/flow/template-values.ts';
import { sourceAt, union, type ValueSet } from '../../check/flow/value-set.ts';
import { exactlyOne, type StateRule } from '../../check/rule.ts';
import { hasHole } from '../../definition/field.ts';
import type { State } from '../../definition/machine.ts';
import { emptyList } from '../../diagnostics/fields.ts';
import { placeholder } from '../../flow/value-source.ts';
import {
  failureExitOf,
  leadOf,
  type NodeContext,
  stateMeta,
  StateNodes,
} from '../../lower/nodes.ts';
import { references } from '../../behaviour/part.ts';
import { endWith, mockedWork, type StateTester, StateTestError } from '../../test-state/tester.ts';
import { choiceRules, defaultTransition, ruleTransitions } from '../choice.ts';
import type { Kind } from '../kind.ts';
import { approvalBehaviour } from './behaviour.ts';
import { type Approval, approvalDefinition, readApproval } from './definition.ts';
import { type ApprovalProgram, compileApproval } from './program.ts';

const problems = problemsOf('asl');

const unknownOption = problems.warning(
  'unknown-option',
  (option: string, known: readonly string[]) => ({
    message: `"${option}" is not an option of this approval.`,
    hint: () => didYouMean(option, known) ?? `The options are ${known.join(', ')}.`,
  }),
);

const mergedDecision = problems.info('merged-decision', (name: string) => ({
  message: `The approval "${name}" has no "ResultPath", so its decision is added to its input.`,
  hint: 'To keep the decision apart, add "ResultPath": "$.review".',
}));

const fewApprovers = problems.warning(
  'few-approvers',
  (people: readonly string[], required: number) => ({
    message:
      people.length === 0
        ? 'Nobody may decide this approval: its policy has no approvers.'
        : `This approval needs ${required} approvals, and only ${people.length} ${people.length === 1 ? 'person' : 'people'} may give one.`,
    hint:
      people.length === 0
        ? 'Name people or roles in "Approvers", or remove it: then anyone may decide.'
        : `After ${people.join(' and ')}, nobody is left for another approval. Add people or roles to "Approvers", or lower "RequiredApprovals".`,
  }),
);

/** Reports approvals without a prompt or without options. Spec: Agent 2 §Approval State */
const approvalsWithoutQuestion: StateRule<Approval> = (approval, { report }) => {
  exactlyOne('An Approval state', authoredPart(approval), ['Prompt', 'Prompt.$'], report);
  const { Options: options } = approval.authored;
  if (Array.isArray(options) && options.length === 0) {
    report(emptyList('Options'), [...approval.at, 'Options']);
  }
};

/** Reports choices that compare the decision with something that is not an option. Spec: Agent 6 */
const unknownOptions: StateRule<Approval> = (approval, { report }) => {
  const known = approval.Options;
  for (const { value, at } of partsOf(authoredPart(approval), 'Choices').flatMap(conditionsOf)) {
    const { Variable: variable, StringEquals: option } = value;
    if (
      typeof variable !== 'string' ||
      !/\.(approval|decision)$/.test(variable) ||
      typeof option !== 'string'
    )
      continue;
    if (!known.includes(option)) report(unknownOption(option, known), [...at, 'StringEquals']);
  }
};

/**
 * Reports approvals without a `ResultPath`. Their decision is added to the input, because chapter 6 reads both after
 * such an Approval; in other states the default replaces the input. Spec: Agent 6
 */
const mergedDecisions: StateRule<Approval> = ({ name, ResultPath: path, at }, { report }) => {
  if (path === undefined) report(mergedDecision(name), at, { at: 'key' });
};

/** Reports policies that need more approvals than people may give: each person approves once. Spec: Agent 6 §Policy */
const fewApproversForPolicy: StateRule<Approval> = (approval, { report }) => {
  const { Policy: policy, Escalation: escalation, at } = approval;
  const { Approvers: approvers, RequiredApprovals: required = 1 } = policy ?? {};
  if (!approvers || approvers.roles.length > 0 || approvers.users.some(hasHole)) return;
  // Escalation may add enough people, or approve by itself.
  if (escalation.some(({ EscalateTo: to, AutoApprove: approves }) => to !== undefined || approves))
    return;
  const people = [...new Set(approvers.users)];
  const path = [...at, 'Policy', 'Approvers'];
  const follows = [[...at, 'Policy', 'RequiredApprovals'], path, [...path, 'Users']];
  if (people.length < required) report(fewApprovers(people, required), path, { follows });
};

/** Without a decision the input stays as it is. */
const approvalWays: StateWays<Approval> = {
  enter({ state, sight, flow }) {
    const selected = flow.select();
    sourceValues(state.Prompt, selected, sight);
    if (state.Prompt && 'value' in state.Prompt)
      for (const [, path] of JSON.stringify(state.Prompt.value).matchAll(placeholder))
        queryValues(path!, selected, sight, state.Prompt.at);
    const passed = flow.finish(union(sight.input, storedRecord(state, sight))!);
    const targets = [...state.Choices.map((rule) => rule.Next), state.Default];
    const ruled = targets
      .filter((target) => target !== undefined)
      .map((target) => ({ target, passed }));
    return { exits: [...ruled, ...onwards(state, passed)] };
  },
};

/** The record of a decision, and the edits: both may have any fields. */
function storedRecord(
  { ResultPath: path, Editable: editable }: Approval,
  { state, input }: { readonly state: State; readonly input: ValueSet },
): ValueSet {
  if (editable || path === undefined) return 'any';
  return store(path, input, 'any', [sourceAt(state, 'ResultPath')]);
}

const refer = references<typeof approvalBehaviour & typeof stateBehaviour>();

/** Waits for a decision, until the time limit if there is one. Spec: Agent 2 §Approval State */
function approvalNode(state: Approval, id: string, context: NodeContext): ChartNode {
  const nodes = new StateNodes(state, id, context);
  const { params } = nodes;
  const reminds = state.Escalation.length > 0 || state.Notifications.length > 0;
  return {
    id,
    initial: 'preparing',
    states: {
      ...nodes.step('preparing', refer.action('prepareApproval', params), { target: 'deciding' }),
      deciding: {
        id: `${id}:deciding`,
        tags: ['waiting'],
        invoke: [decision(state, nodes), ...(state.Timeout ? [timeout(state, nodes)] : [])],
        ...(reminds && reminding(nodes)),
      },
      ...(needsSeveral(state) && nodes.step('collecting', undefined, { target: 'deciding' })),
      ...nodes.step(
        'finishing',
        refer.action('finishApproval', params),
        ...ruleTransitions(context, state.Choices),
        otherwise(state, context),
      ),
      ...(leavesUndecided(state) &&
        nodes.step(
          'undecided',
          refer.action('passUndecided', params),
          defaultTransition(context, state.Default!, state),
        )),
    },
    meta: stateMeta(state, context),
  };
}

/** The transition of a decision when no rule applies. */
function otherwise(state: Approval, context: NodeContext): ChartTransition {
  const { Choices: rules, Default: fallback, Next: next, End: end } = state;
  const isOver = next === undefined && !end;
  if (fallback !== undefined && (rules.length > 0 || isOver)) {
    return defaultTransition(context, fallback, state);
  }
  return isOver ? failureExitOf(context) : leadOf(context, state);
}

function needsSeveral({ Policy: policy }: Approval): boolean {
  return (policy?.RequiredApprovals ?? 1) > 1;
}

function decision(state: Approval, nodes: StateNodes): ChartInvoke {
  const { params } = nodes;
  const another: ChartTransition = {
    target: nodes.to('collecting'),
    guard: refer.guard('needsAnother', params),
    actions: [refer.action('collectApproval', params)],
  };
  return nodes.invoke({
    name: 'decision',
    src: 'requestDecision',
    input: refer.input('decisionCall', params),
    done: [
      ...(needsSeveral(state) ? [another] : []),
      {
        target: nodes.to('finishing'),
        guard: refer.guard('isDecided', params),
        actions: [refer.action('takeDecision', params)],
      },
      {
        target: nodes.to('deciding'),
        reenter: true,
        guard: refer.guard('mayAskAgain', params),
        actions: [refer.action('refuseDecision', params)],
      },
      nodes.failing(refer.action('giveUpAsking', params)),
    ],
  });
}

/** Child nodes, so that a reminder restarts its timer without asking the question again. Agent 6 §Escalation */
function reminding(nodes: StateNodes): Partial<ChartNode> {
  const { params, id } = nodes;
  const remind = refer.action('remind', params);
  const patient = { target: 'patient', guard: refer.guard('hasReminder', params) };
  return {
    initial: 'looking',
    states: {
      looking: { id: `${id}:looking`, always: [patient, { target: 'told' }] },
      ...nodes.call('patient', {
        name: 'reminder',
        src: 'timer',
        input: refer.input('reminderTimer', params),
        done: [
          {
            target: nodes.to('finishing'),
            guard: refer.guard('isApprovedByNow', params),
            actions: [remind, refer.action('approveByItself', params)],
          },
          {
            target: nodes.to('deciding'),
            guard: refer.guard('widensApprovers', params),
            actions: [refer.action('widenApprovers', params)],
            reenter: true,
          },
          { target: nodes.to('looking'), actions: [remind] },
        ],
      }),
      told: { id: `${id}:told` },
    },
  };
}

function timeout(state: Approval, nodes: StateNodes): ChartInvoke {
  const input = refer.input('approvalTimer', nodes.params);
  return nodes.invoke({ name: 'timeout', src: 'timer', input, done: tooLate(state, nodes) });
}

/** The transitions when the time limit passes without a decision. Tutorial 8 */
function tooLate(state: Approval, nodes: StateNodes): ChartTransition[] {
  const { params } = nodes;
  const undecided = leavesUndecided(state)
    ? { target: nodes.to('undecided') }
    : nodes.failing(refer.action('failUndecided', params));
  const byItself = (decide: Reference) => [{ target: nodes.to('finishing'), actions: [decide] }];
  switch (state.OnTimeout) {
    case 'AutoApprove':
      return byItself(refer.action('approveByItself', params));
    case 'AutoReject':
      return byItself(refer.action('rejectByItself', params));
    case 'Escalate':
      return [
        {
          target: nodes.to('deciding'),
          guard: refer.guard('mayWaitAgain', params),
          actions: [refer.action('waitAgain', params)],
          reenter: true,
        },
        undecided,
      ];
    default:
      return [undecided];
  }
}

/** At the time limit the `Default` is taken, unless `OnTimeout` says otherwise. */
function leavesUndecided({ Timeout: time, Default: fallback, OnTimeout: how }: Approval): boolean {
  const isAsked = how === undefined || how === 'Escalate';
  return time !== undefined && fallback !== undefined && isAsked;
}

/** Tests an Approval: the mock is the decision of the last person who is asked. */
const testApproval: StateTester<ApprovalProgram> = (program, run, { mock }) => {
  const { flow, state, approval } = program;
  const begun = approval.begin(run, flow.select(run));
  if (mock?.result === undefined) return mockedWork(program, run, mock);
  const made = decisionOf(mock.result, {
    ...approval.question(begun, run.input),
    key: '',
    id: '',
  });
  run.inspect?.('result', mock.result);
  const work = { ...approval.add(run, begun, made), decision: made };
  const stored = approval.store(run, approval.record(work, run.world.now()), work.edits);
  const rule = approval.choose(run, stored, made.decision);
  const outcome = flow.finish(run, stored);
  const nextState = targetOf(state as Approval, rule);
  return nextState === undefined ? endWith(outcome, state) : { ...outcome, nextState };
};

/** The target of a rule, or the `Default`; undefined when the state is left by `Next` or `End`. */
function targetOf(
  { Choices: rules, Default: fallback, Next: next, End: end }: Approval,
  rule: number | undefined,
): string | undefined {
  if (rule !== undefined) return rules[rule]!.Next;
  const isOver = next === undefined && !end;
  return rules.length > 0 || isOver ? fallback : undefined;
}

/** @throws StateTestError when the person could not make this decision */
function decisionOf(result: Json, question: Question): Decision {
  const made = readDecision(result);
  const because = typeof made === 'string' ? made : whyRefused(question, made);
  if (typeof made !== 'string' && because === undefined) return made;
  const { id } = question.options[0]!;
  throw new StateTestError(
    'test-state/wrong-mock',
    `The result of the mock does not decide this Approval: ${because}`,
    `Write it like { "result": { "decision": "${id}", "by": "ana" } }.`,
  );
}

export const approvalKind: Kind<Approval, ApprovalProgram> = {
  definition: approvalDefinition,
  read: readApproval,
  rules: [
    ...choiceRules,
    approvalsWithoutQuestion,
    unknownOptions,
    mergedDecisions,
    fewApproversForPolicy,
  ],
  problems: [unknownOption, mergedDecision, fewApprovers],
  ways: approvalWays,
  node: approvalNode,
  compile: compileApproval,
  behaviour: approvalBehaviour,
  test: testApproval,
};
