import type { ChartNode } from '@dramaturg/compiler';
import type { Choice, Fail, Pass, Succeed } from '../definition/index.ts';
import { about, failingOf, leadOf, onwards, type Place } from './node-context.ts';
import { defaultTransition, ruleTransitions } from './rules.ts';
import { stateMeta } from './state-meta.ts';

/** States that only handle data: an actor passes through them and never rests there. */

export function passNode(state: Pass, id: string, place: Place): ChartNode {
  return {
    id,
    entry: [{ type: 'pass', params: about(place, id) }],
    always: onwards(place, [leadOf(place, state)]),
    meta: stateMeta(state, place),
  };
}

export function choiceNode(state: Choice, id: string, place: Place): ChartNode {
  const rules = ruleTransitions(place, state.Choices);
  const { Default: fallback } = state;
  return {
    id,
    entry: [{ type: 'choose', params: about(place, id) }],
    always:
      fallback === undefined
        ? [...rules, failingOf(place)]
        : onwards(place, [...rules, defaultTransition(place, fallback, state)]),
    meta: stateMeta(state, place),
  };
}

export function endNode(state: Succeed | Fail, id: string, place: Place): ChartNode {
  const succeeds = state.Type === 'Succeed';
  return {
    id,
    entry: [{ type: succeeds ? 'succeed' : 'fail', params: about(place, id) }],
    always: succeeds
      ? onwards(place, [{ target: place.end, meta: { origin: state.at } }])
      : [failingOf(place)],
    meta: stateMeta(state, place),
  };
}
