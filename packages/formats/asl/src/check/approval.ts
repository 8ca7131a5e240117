import { authoredPart, conditionsOf, partsOf } from '../authored.ts';
import type { Approval } from '../definition/index.ts';
import { mergedDecision, unknownOption } from '../diagnostics/approval.ts';
import { emptyList } from '../diagnostics/structure.ts';
import { choiceRules } from './choice.ts';
import { exactlyOne, type StateRule } from './rule.ts';

/** An approval asks something, and there are options to answer with. Spec: Agent 2 §Approval State */
const asksSomething: StateRule<Approval> = (approval, { report }) => {
  exactlyOne('An Approval state', authoredPart(approval), ['Prompt', 'Prompt.$'], report);
  const { Options: options } = approval.authored;
  if (Array.isArray(options) && options.length === 0) {
    report(emptyList('Options'), [...approval.at, 'Options']);
  }
};

/** A choice compares the decision with one of the options. Spec: Agent 6 */
const choicesNameOptions: StateRule<Approval> = (approval, { report }) => {
  const known = approval.Options;
  for (const { value, at } of partsOf(authoredPart(approval), 'Choices').flatMap(conditionsOf)) {
    const { Variable: variable, StringEquals: option } = value;
    if (
      typeof variable !== 'string' ||
      !variable.endsWith('.approval') ||
      typeof option !== 'string'
    )
      continue;
    if (!known.includes(option)) report(unknownOption(option, known), [...at, 'StringEquals']);
  }
};

/**
 * Without a `ResultPath` the decision is added to the input, and that is reported: chapter 6 reads both behind such an
 * Approval, and the default of other states would replace the input. Spec: Agent 6
 */
const decisionIsKeptApart: StateRule<Approval> = ({ name, ResultPath: path, at }, { report }) => {
  if (path === undefined) report(mergedDecision(name), at, { at: 'key' });
};

export const approvalRules = [
  ...choiceRules,
  asksSomething,
  choicesNameOptions,
  decisionIsKeptApart,
] as const satisfies readonly StateRule<Approval>[];
