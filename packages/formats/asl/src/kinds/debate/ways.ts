import { sourceValues } from '../../check/flow/language-flow.ts';
import { sourceAt } from '../../check/flow/source.ts';
import { objectOf, type ValueSet } from '../../check/flow/value-set.ts';
import { type StateWays, worked } from '../../check/flow/ways.ts';
import type { Debate } from '../../definition/index.ts';

/** The fields of the result. Agent 2 §Debate State */
const fields = [
  'topic',
  'rounds',
  'participants',
  'history',
  'responses',
  'decision',
  'consensus',
  'votes',
  'dissent',
];

export const debateWays: StateWays<Debate> = {
  enter(visit) {
    const { state, sight, flow } = visit;
    const selected = flow.select();
    sourceValues(state.Topic, selected, sight);
    flow.prepare(selected);
    const known = new Map(fields.map((field): [string, ValueSet] => [field, 'any']));
    return worked(visit, objectOf(known, [sourceAt(sight.state, 'Agents')]));
  },
};
