import type { ChartNode } from '@dramaturg/compiler';
import type { Checkpoint, Choice, Fail, Pass, Succeed } from '../definition/index.ts';
import { about, failingOf, nextOf, onwards, type Place, targetOf } from './place.ts';
import { stateMeta } from './state-meta.ts';

/** States that only handle data: an actor passes through them and never rests there. */

export function passNode(state: Pass, id: string, place: Place): ChartNode {
  return {
    id,
    entry: [{ type: 'pass', params: about(place, id) }],
    always: onwards(place, [{ target: nextOf(place, state) }]),
    meta: stateMeta(state, place),
  };
}

export function choiceNode(state: Choice, id: string, place: Place): ChartNode {
  const rules = state.Choices.map(({ Next: next, at }, way) => ({
    target: targetOf(place, next),
    guard: { type: 'goes', params: { machine: place.machine, way } },
    meta: { origin: at },
  }));
  const { Default: fallback } = state;
  const { always, otherwise } =
    fallback === undefined
      ? { always: rules, otherwise: failingOf(place) }
      : { always: onwards(place, rules), otherwise: { target: targetOf(place, fallback) } };
  return {
    id,
    entry: [{ type: 'choose', params: about(place, id) }],
    always: [...always, otherwise],
    meta: stateMeta(state, place),
  };
}

export function endNode(state: Succeed | Fail, id: string, place: Place): ChartNode {
  const succeeds = state.Type === 'Succeed';
  return {
    id,
    entry: [{ type: succeeds ? 'succeed' : 'fail', params: about(place, id) }],
    always: succeeds ? onwards(place, [{ target: place.end }]) : [failingOf(place)],
    meta: stateMeta(state, place),
  };
}

export function checkpointNode(state: Checkpoint, id: string, place: Place): ChartNode {
  return {
    id,
    entry: [{ type: 'checkpoint', params: about(place, id) }],
    always: onwards(place, [{ target: nextOf(place, state) }]),
    meta: stateMeta(state, place),
  };
}
