import type { ChartInvoke, ChartNode, ChartTransition } from '@dramaturg/compiler';
import type { Approval } from '../definition/index.ts';
import { about, failingOf, hasFailed, leadOf, type Place } from './place.ts';
import { defaultTransition, ruleTransitions } from './rules.ts';
import { stateMeta } from './state-meta.ts';

/** Waits for a person, for as long as it takes or until the time is up. Spec: Agent 2 §Approval State */
export function approvalNode(state: Approval, id: string, place: Place): ChartNode {
  const params = about(place, id);
  const failing = { ...failingOf(place), guard: hasFailed(place) };
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
          decision(id, params, place),
          ...(state.Timeout ? [timeout(state, id, place)] : []),
        ],
      },
      finishing: {
        id: `${id}:finishing`,
        entry: [{ type: 'finishApproval', params }],
        always: [failing, ...ruleTransitions(place, state.Choices), otherwise(state, place)],
      },
      ...(state.Timeout &&
        state.Default !== undefined && {
          undecided: {
            id: `${id}:undecided`,
            entry: [{ type: 'passUndecided', params }],
            always: [failing, defaultTransition(place, state.Default, state)],
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

function decision(
  id: string,
  params: { state: string; machine: string },
  place: Place,
): ChartInvoke {
  return {
    id: `${id}:decision`,
    src: 'requestDecision',
    input: { type: 'decisionCall', params },
    onDone: [
      { target: `#${id}:finishing`, guard: { type: 'isOption', params } },
      {
        target: `#${id}:deciding`,
        guard: { type: 'mayAskAgain', params },
        actions: [{ type: 'refuseDecision', params }],
        reenter: true,
      },
      failed(params, place, 'giveUpAsking'),
    ],
    onError: [failed(params, place, 'taskFailed')],
  };
}

function timeout(state: Approval, id: string, place: Place): ChartInvoke {
  const params = about(place, id);
  return {
    id: `${id}:timeout`,
    src: 'timer',
    input: { type: 'timeoutTimer', params },
    onDone: [
      state.Default === undefined
        ? failed(params, place, 'failUndecided')
        : { target: `#${id}:undecided` },
    ],
    onError: [failed(params, place, 'taskFailed')],
  };
}

function failed(
  params: { state: string; machine: string },
  place: Place,
  type: string,
): ChartTransition {
  return {
    target: place.fail.target,
    actions: [{ type, params }, ...(place.fail.actions ?? [])],
  };
}
