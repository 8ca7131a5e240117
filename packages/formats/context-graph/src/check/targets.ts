import { type Graph, type Target, targetsOf } from '../definition.ts';
import {
  badExternalTarget,
  selfTarget,
  unknownExternalState,
  unknownJumpback,
  unknownReference,
  unknownTarget,
} from '../diagnostics.ts';
import { statesByName } from '../ways.ts';
import type { GraphRule } from './rule.ts';

/**
 * Every target exists: a state of this graph that is another one, or a state of a referenced graph with a state of this
 * graph to come back to, which may be the one it leaves. Spec: docs/formats/context-graph.md#targets
 */
export const targets: GraphRule = ({ definition, report }) => {
  const byName = statesByName(definition);
  const known = [...byName.keys()];
  for (const state of definition.states) {
    for (const target of targetsOf(state)) {
      if (target.kind === 'malformed') report(badExternalTarget(), target.at);
      else if (target.kind === 'call') judgeCall(definition, target, known, report);
      else if (target.state === state.name) report(selfTarget(state.name), target.at);
      else if (!byName.has(target.state)) report(unknownTarget(target.state, known), target.at);
    }
  }
};

function judgeCall(
  { references }: Graph,
  { reference: name, state, jumpback, at }: Target & { kind: 'call' },
  known: readonly string[],
  report: Parameters<GraphRule>[0]['report'],
): void {
  const reference = references.find((one) => one.name === name);
  if (!reference) {
    const names = references.map((one) => one.name);
    report(unknownReference(name, names), [...at, 0]);
  } else if (reference.graph) {
    const states = reference.graph.states.map((one) => one.name);
    if (!states.includes(state)) report(unknownExternalState(state, name, states), [...at, 0]);
  }
  if (!known.includes(jumpback)) report(unknownJumpback(jumpback, known), [...at, 1]);
}
