import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { Approval } from '../definition/index.ts';
import { about, failingOf, hasFailed, leadOf, type NodeContext } from './node-context.ts';
import { defaultTransition, ruleTransitions } from './choice.ts';
import { stateMeta } from './state-meta.ts';

type Params = ReturnType<typeof about>;

/** Waits for a person, for as long as it takes or until the time is up. Spec: Agent 2 §Approval State */
export function approvalNode(state: Approval, id: string, context: NodeContext): ChartNode {
  const params = about(context, id);
  const failing = { ...failingOf(context), guard: hasFailed(context) };
  const reminds = state.Escalation.length > 0 || state.Notifications.length > 0;
  return {
    id,
    initial: 'preparing',
    states: {
      preparing: {
        id: `${id}:preparing`,
        entry: [{ type: 'prepareApproval', params }],
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
        entry: [{ type: 'finishApproval', params }],
        always: [failing, ...ruleTransitions(context, state.Choices), otherwise(state, context)],
      },
      ...(leavesUndecided(state) && {
        undecided: {
          id: `${id}:undecided`,
          entry: [{ type: 'passUndecided', params }],
          always: [failing, defaultTransition(context, state.Default!, state)],
        },
      }),
    },
    meta: stateMeta(state, context),
  };
}

/** Where a decision leads that no rule is about. */
function otherwise(state: Approval, context: NodeContext): ChartTransition {
  const { Choices: rules, Default: fallback, Next: next, End: end } = state;
  const isOver = next === undefined && !end;
  if (fallback !== undefined && (rules.length > 0 || isOver)) {
    return defaultTransition(context, fallback, state);
  }
  return isOver ? failingOf(context) : leadOf(context, state);
}

function needsSeveral({ Policy: policy }: Approval): boolean {
  return (policy?.RequiredApprovals ?? 1) > 1;
}

function decision(state: Approval, id: string, context: NodeContext): ChartInvoke {
  const params = about(context, id);
  const again = { target: `#${id}:deciding`, reenter: true };
  return {
    id: `${id}:decision`,
    src: 'requestDecision',
    input: { type: 'decisionCall', params },
    onDone: [
      ...(needsSeveral(state)
        ? [
            {
              target: `#${id}:collecting`,
              guard: { type: 'needsAnother', params },
              actions: [{ type: 'collectApproval', params }],
            },
          ]
        : []),
      {
        target: `#${id}:finishing`,
        guard: { type: 'isDecided', params },
        actions: [{ type: 'takeDecision', params }],
      },
      {
        ...again,
        guard: { type: 'mayAskAgain', params },
        actions: [{ type: 'refuseDecision', params }],
      },
      failed(params, context, 'giveUpAsking'),
    ],
    onError: [failed(params, context, 'taskFailed')],
  };
}

/** Nodes of their own, so that telling people sets a timer anew and leaves the question alone. Agent 6 §Escalation */
function reminding(id: string, params: Params, context: NodeContext): Partial<ChartNode> {
  const remind = { type: 'remind', params };
  return {
    initial: 'looking',
    states: {
      looking: {
        id: `${id}:looking`,
        always: [{ target: 'patient', guard: { type: 'hasReminder', params } }, { target: 'told' }],
      },
      patient: {
        id: `${id}:patient`,
        invoke: [
          {
            id: `${id}:reminder`,
            src: 'timer',
            input: { type: 'reminderTimer', params },
            onDone: [
              {
                target: `#${id}:finishing`,
                guard: { type: 'isApprovedByNow', params },
                actions: [remind, { type: 'approveByItself', params }],
              },
              {
                target: `#${id}:deciding`,
                guard: { type: 'widensApprovers', params },
                actions: [{ type: 'widenApprovers', params }],
                reenter: true,
              },
              { target: `#${id}:looking`, actions: [remind] },
            ],
            onError: [failed(params, context, 'taskFailed')],
          },
        ],
      },
      told: { id: `${id}:told` },
    },
  };
}

function timeout(state: Approval, id: string, context: NodeContext): ChartInvoke {
  const params = about(context, id);
  return {
    id: `${id}:timeout`,
    src: 'timer',
    input: { type: 'approvalTimer', params },
    onDone: tooLate(state, id, context),
    onError: [failed(params, context, 'taskFailed')],
  };
}

/** What happens when nobody has decided in time. Tutorial 8 */
function tooLate(state: Approval, id: string, context: NodeContext): ChartTransition[] {
  const params = about(context, id);
  const undecided = leavesUndecided(state)
    ? { target: `#${id}:undecided` }
    : failed(params, context, 'failUndecided');
  const byItself = (type: string) => ({
    target: `#${id}:finishing`,
    actions: [{ type, params }],
  });
  switch (state.OnTimeout) {
    case 'AutoApprove':
      return [byItself('approveByItself')];
    case 'AutoReject':
      return [byItself('rejectByItself')];
    case 'Escalate':
      return [
        {
          target: `#${id}:deciding`,
          guard: { type: 'mayWaitAgain', params },
          actions: [{ type: 'waitAgain', params }],
          reenter: true,
        },
        undecided,
      ];
    default:
      return [undecided];
  }
}

/** When time is up the `Default` is taken, unless the definition says something else. */
function leavesUndecided({ Timeout: time, Default: fallback, OnTimeout: how }: Approval): boolean {
  const isAsked = how === undefined || how === 'Escalate';
  return time !== undefined && fallback !== undefined && isAsked;
}

function failed(params: Params, context: NodeContext, type: string): ChartTransition {
  return {
    target: context.fail.target,
    actions: [{ type, params }, ...(context.fail.actions ?? [])],
  };
}
