import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { Approval } from '../definition/index.ts';
import { about, failingOf, hasFailed, leadOf, type Place } from './node-context.ts';
import { defaultTransition, ruleTransitions } from './rules.ts';
import { stateMeta } from './state-meta.ts';

type Params = ReturnType<typeof about>;

/** Waits for a person, for as long as it takes or until the time is up. Spec: Agent 2 §Approval State */
export function approvalNode(state: Approval, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const failing = { ...failingOf(place), guard: hasFailed(place) };
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
        invoke: [decision(state, id, place), ...(state.Timeout ? [timeout(state, id, place)] : [])],
        ...(reminds && reminding(id, params, place)),
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
        always: [failing, ...ruleTransitions(place, state.Choices), otherwise(state, place)],
      },
      ...(leavesUndecided(state) && {
        undecided: {
          id: `${id}:undecided`,
          entry: [{ type: 'passUndecided', params }],
          always: [failing, defaultTransition(place, state.Default!, state)],
        },
      }),
    },
    meta: stateMeta(state, place),
  };
}

/** Where a decision leads that no rule is about. */
function otherwise(state: Approval, place: Place): ChartTransition {
  const { Choices: rules, Default: fallback, Next: next, End: end } = state;
  const isOver = next === undefined && !end;
  if (fallback !== undefined && (rules.length > 0 || isOver)) {
    return defaultTransition(place, fallback, state);
  }
  return isOver ? failingOf(place) : leadOf(place, state);
}

function needsSeveral({ Policy: policy }: Approval): boolean {
  return (policy?.RequiredApprovals ?? 1) > 1;
}

function decision(state: Approval, id: string, place: Place): ChartInvoke {
  const params = about(place, id);
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
      failed(params, place, 'giveUpAsking'),
    ],
    onError: [failed(params, place, 'taskFailed')],
  };
}

/** Nodes of their own, so that telling people sets a timer anew and leaves the question alone. Agent 6 §Escalation */
function reminding(id: string, params: Params, place: Place): Partial<ChartNode> {
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
            onError: [failed(params, place, 'taskFailed')],
          },
        ],
      },
      told: { id: `${id}:told` },
    },
  };
}

function timeout(state: Approval, id: string, place: Place): ChartInvoke {
  const params = about(place, id);
  return {
    id: `${id}:timeout`,
    src: 'timer',
    input: { type: 'approvalTimer', params },
    onDone: tooLate(state, id, place),
    onError: [failed(params, place, 'taskFailed')],
  };
}

/** What happens when nobody has decided in time. Tutorial 8 */
function tooLate(state: Approval, id: string, place: Place): ChartTransition[] {
  const params = about(place, id);
  const undecided = leavesUndecided(state)
    ? { target: `#${id}:undecided` }
    : failed(params, place, 'failUndecided');
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

function failed(params: Params, place: Place, type: string): ChartTransition {
  return {
    target: place.fail.target,
    actions: [{ type, params }, ...(place.fail.actions ?? [])],
  };
}
