import { choiceBehaviour } from '../behaviour/choice.ts';
import { choiceStateRules } from '../check/choice.ts';
import { choiceWays } from '../check/flow/choice.ts';
import { choiceDefinition, type Choice } from '../definition/choice.ts';
import { compileChoice, type ChoiceProgram } from '../flow/choice.ts';
import { choiceNode } from '../lower/choice.ts';
import { readChoice } from '../normalise/choice.ts';
import { testChoice } from '../test-state/choice.ts';
import type { Kind } from './kind.ts';

export const choice: Kind<Choice, ChoiceProgram> = {
  definition: choiceDefinition,
  read: readChoice,
  rules: choiceStateRules,
  ways: choiceWays,
  node: choiceNode,
  compile: compileChoice,
  behaviour: choiceBehaviour,
  test: testChoice,
};
