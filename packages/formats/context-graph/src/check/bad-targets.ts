import type { Report } from '@dramaturg/compiler/format';
import { checkOtherTarget } from '@dramaturg/conversation';
import { type Graph, type Target, targetsOf } from '../definition.ts';
import { unknownReference } from '../diagnostics/references.ts';
import {
  badExternalTarget,
  fieldOfAnotherTarget,
  selfTarget,
  unknownExternalState,
} from '../diagnostics/targets.ts';
import type { GraphRule } from './rule.ts';

/**
 * Reports malformed targets, targets that are their own state, calls of an unknown graph or of an unknown state of one, and
 * fields that are for another target. Spec: docs/formats/context-graph.md#targets
 */
export const badTargets: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    for (const target of targetsOf(state)) {
      const other = target.kind === 'other' ? target.target : '';
      const place = { ...target, at: target.at.slice(0, -1) };
      checkOtherTarget({ fieldOfAnotherTarget }, place, other, report);
      if (target.kind === 'malformed') report(badExternalTarget(), target.at);
      else if (target.kind === 'call') judgeCall(definition, target, report);
      else if (target.kind === 'state' && target.state === state.name)
        report(selfTarget(state), target.at);
    }
  }
};

function judgeCall(
  { references, areReferencesRead }: Graph,
  { reference: name, state, at }: Target & { kind: 'call' },
  report: Report,
): void {
  const reference = references.find((one) => one.name === name);
  if (!reference) {
    const names = references.map((one) => one.name);
    if (areReferencesRead) report(unknownReference(name, names), [...at, 0], { topic: name });
  } else if (reference.graph) {
    const states = reference.graph.states.map((one) => one.name);
    if (!states.includes(state))
      report(unknownExternalState(state, name, states), [...at, 0], { topic: `${name}.${state}` });
  }
}
