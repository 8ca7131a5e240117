import * as z from 'zod/mini';
import { choiceRule, type ChoiceRule } from './choice-rule.ts';
import { required, optional, text } from './field.ts';
import { assign, common, filters, output, type StateBase } from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 2 §Choice State, Amazon #choice-state */
const choice = z.object({
  ...common,
  ...filters,
  ...output,
  ...assign,
  /** Agent 2 §Choice State, Amazon #choice-state */
  Choices: required(z.array(choiceRule), 'The first rule that holds leads on.'),
  /** Agent 2 §Choice State, Amazon #choice-state */
  Default: optional(text, 'Where to go when none holds.'),
});

export interface Choice extends StateBase {
  readonly Type: 'Choice';
  readonly Choices: readonly ChoiceRule[];
  readonly Default: string | undefined;
}

export const choiceDefinition: StateDefinition<Choice> = {
  schema: choice,
};
