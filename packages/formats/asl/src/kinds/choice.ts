import { choiceBehaviour } from '../behaviour/choice.ts';
import { choiceStateRules } from '../check/choice.ts';
import { choiceDefinition, type Choice } from '../definition/choice.ts';
import { compileChoice } from '../flow/choice.ts';
import { choiceNode } from '../lower/choice.ts';
import { readChoice } from '../normalise/choice.ts';
import { testChoice } from '../test-state/choice.ts';
import type { Kind } from './kind.ts';

export const choice: Kind<Choice> = {
  definition: choiceDefinition,
  read: readChoice,
  rules: choiceStateRules,
  node: choiceNode,
  compile: (state, dialect) => ({ choose: compileChoice(state, dialect) }),
  behaviour: choiceBehaviour,
  test: testChoice,
};
