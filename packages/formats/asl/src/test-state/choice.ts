import type { Choice } from '../definition/index.ts';
import type { ChoiceProgram } from '../flow/choice.ts';
import type { StateTester } from './tester.ts';

export const testChoice: StateTester<ChoiceProgram> = ({ flow, state, choose }, run) => {
  const { Choices: rules, Default: fallback } = state as Choice;
  const rule = choose(run, flow.select(run));
  const nextState = rule === undefined ? fallback : rules[rule]!.Next;
  return { ...flow.chosen(run, rule), nextState };
};
