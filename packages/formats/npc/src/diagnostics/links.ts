import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('npc');

/** Problems of the links between scenarios, and of variables. */

export const unknownScenario = error(
  'unknown-scenario',
  (key: string, known: readonly string[]) => ({
    message: `There is no scenario "${key}".`,
    hint: () => didYouMean(key, known) ?? 'Write the machine_key of a scenario of this persona.',
  }),
);

export const badLinkCondition = error('bad-link-condition', (complaint: string) => ({
  message: `The condition of this link ${complaint}.`,
  hint: 'Use outcome (with ACCEPT, REJECT or KICK_OUT), score_gte or score_lte (with a number), or always.',
}));

export const scoreOfPassFail = warning('score-of-pass-fail', (machine: string) => ({
  message: `The scenario "${machine}" is in pass/fail mode, so its score is always 0.`,
  hint: 'Use the condition outcome, or set "scoring_mode": "scoring" in the scenario.',
}));

export const duplicateVariable = error('duplicate-variable', (key: string) => ({
  message: `The scenario has more than one output variable "${key}".`,
  hint: 'Give each variable a key of its own.',
}));

export const badVariableKey = error('bad-variable-key', (key: string) => ({
  message: `"${key}" cannot be the key of a variable, because a placeholder cannot contain it.`,
  hint: 'Use letters, digits and underscores, at most 40 of them.',
}));

export const unknownVariable = warning(
  'unknown-variable',
  (name: string, known: readonly string[]) => ({
    message: `Nothing provides a value for {{${name}}}, so the placeholder stays in the text.`,
    hint: () => didYouMean(name, known) ?? `Add an output variable "${name}" to a scenario.`,
  }),
);
