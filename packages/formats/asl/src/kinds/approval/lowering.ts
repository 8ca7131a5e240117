import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import type { StateParams } from '../../behaviour/state-at-work.ts';
import type { stateBehaviour } from '../../behaviour/state.ts';
import type { Approval } from '../../definition/index.ts';
import {
  stateParams,
  failureExitOf,
  hasFailed,
  leadOf,
  type NodeContext,
} from '../../lower/node-context.ts';
import { references } from '../../lower/references.ts';
import { stateMeta } from '../../lower/state-meta.ts';
import { defaultTransition, ruleTransitions } from '../choice.ts';
import type { approvalBehaviour } from './behaviour.ts';

const refer = references<typeof approvalBehaviour & typeof stateBehaviour>();

/** Waits for a decision, until the time limit if there is one. Spec: Agent 2 §Approval State */
export function approvalNode(state: Approval, id: string, context: NodeContext): ChartNode {
  const params = stateParams(context, id);
  const failing = { ...failureExitOf(context), guard: hasFailed(context) };
  const reminds = state.Escalation.length > 0 || state.Notifications.length > 0;
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [refer.action('prepareApproval', params)],
        always: [failing, { target: 'deciding' }],
      },
      deciding: {
        id: `${id}:deciding`,
        tags: ['waiting'],
        invoke: [
          decision(state, id, context),
          ...(state.Timeout ? [timeout(state, id, context)] : []),
        ],
        ...(reminds && reminding(id, params, context)),
      },
      ...(needsSeveral(state) && {
        collecting: {
          id: `${id}:collecting`,
          always: [failing, { target: 'deciding' }],
        },
      }),
      finishing: {
        id: `${id}:finishing`,
        entry: [refer.action('finishApproval', params)],
        always: [failing, ...ruleTransitions(context, state.Choices), otherwise(state, context)],
      },
      ...(leavesUndecided(state) && {
        undecided: {
          id: `${id}:undecided`,
          entry: [refer.action('passUndecided', params)],
          always: [failing, defaultTransition(context, state.Default!, state)],
        },
      }),
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

function decision(state: Approval, id: string, context: NodeContext): ChartInvoke {
  const params = stateParams(context, id);
  const again = { target: `#${id}:deciding`, reenter: true };
  return {
    id: `${id}:decision`,
    src: 'requestDecision',
    input: refer.input('decisionCall', params),
    onDone: [
      ...(needsSeveral(state)
        ? [
            {
              target: `#${id}:collecting`,
              guard: refer.guard('needsAnother', params),
              actions: [refer.action('collectApproval', params)],
            },
          ]
        : []),
      {
        target: `#${id}:finishing`,
        guard: refer.guard('isDecided', params),
        actions: [refer.action('takeDecision', params)],
      },
      {
        ...again,
        guard: refer.guard('mayAskAgain', params),
        actions: [refer.action('refuseDecision', params)],
      },
      failed(context, refer.action('giveUpAsking', params)),
    ],
    onError: [failed(context, refer.action('taskFailed', params))],
  };
}

/** Child nodes, so that a reminder restarts its timer without asking the question again. Agent 6 §Escalation */
function reminding(id: string, params: StateParams, context: NodeContext): Partial<ChartNode> {
  const remind = refer.action('remind', params);
  return {
    initial: 'looking',
    states: {
      looking: {
        id: `${id}:looking`,
        always: [
          { target: 'patient', guard: refer.guard('hasReminder', params) },
          { target: 'told' },
        ],
      },
      patient: {
        id: `${id}:patient`,
        invoke: [
          {
            id: `${id}:reminder`,
            src: 'timer',
            input: refer.input('reminderTimer', params),
            onDone: [
              {
                target: `#${id}:finishing`,
                guard: refer.guard('isApprovedByNow', params),
                actions: [remind, refer.action('approveByItself', params)],
              },
              {
                target: `#${id}:deciding`,
                guard: refer.guard('widensApprovers', params),
                actions: [refer.action('widenApprovers', params)],
                reenter: true,
              },
              { target: `#${id}:looking`, actions: [remind] },
            ],
            onError: [failed(context, refer.action('taskFailed', params))],
          },
        ],
      },
      told: { id: `${id}:told` },
    },
  };
}

function timeout(state: Approval, id: string, context: NodeContext): ChartInvoke {
  const params = stateParams(context, id);
  return {
    id: `${id}:timeout`,
    src: 'timer',
    input: refer.input('approvalTimer', params),
    onDone: tooLate(state, id, context),
    onError: [failed(context, refer.action('taskFailed', params))],
  };
}

/** The transitions when the time limit passes without a decision. Tutorial 8 */
function tooLate(state: Approval, id: string, context: NodeContext): ChartTransition[] {
  const params = stateParams(context, id);
  const undecided = leavesUndecided(state)
    ? { target: `#${id}:undecided` }
    : failed(context, refer.action('failUndecided', params));
  const byItself = (decide: Reference) => ({
    target: `#${id}:finishing`,
    actions: [decide],
  });
  switch (state.OnTimeout) {
    case 'AutoApprove':
      return [byItself(refer.action('approveByItself', params))];
    case 'AutoReject':
      return [byItself(refer.action('rejectByItself', params))];
    case 'Escalate':
      return [
        {
          target: `#${id}:deciding`,
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

function failed(context: NodeContext, action: Reference): ChartTransition {
  return {
    target: context.fail.target,
    actions: [action, ...(context.fail.actions ?? [])],
  };
}
