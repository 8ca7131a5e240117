import { authoredPart, conditionsOf, partsOf } from '../../authored.ts';
import { exactlyOne, type StateRule } from '../../check/rule.ts';
import { hasHole } from '../../definition/field.ts';
import type { Approval } from '../../definition/index.ts';
import { emptyList } from '../../diagnostics/structure.ts';
import { choiceRules } from '../choice.ts';
import { fewApprovers, mergedDecision, unknownOption } from './problems.ts';

/** Reports approvals without a prompt or without options. Spec: Agent 2 §Approval State */
const approvalsWithoutQuestion: StateRule<Approval> = (approval, { report }) => {
  exactlyOne('An Approval state', authoredPart(approval), ['Prompt', 'Prompt.$'], report);
  const { Options: options } = approval.authored;
  if (Array.isArray(options) && options.length === 0) {
    report(emptyList('Options'), [...approval.at, 'Options']);
  }
};

/** Reports choices that compare the decision with something that is not an option. Spec: Agent 6 */
const unknownOptions: StateRule<Approval> = (approval, { report }) => {
  const known = approval.Options;
  for (const { value, at } of partsOf(authoredPart(approval), 'Choices').flatMap(conditionsOf)) {
    const { Variable: variable, StringEquals: option } = value;
    if (
      typeof variable !== 'string' ||
      !/\.(approval|decision)$/.test(variable) ||
      typeof option !== 'string'
    )
      continue;
    if (!known.includes(option)) report(unknownOption(option, known), [...at, 'StringEquals']);
  }
};

/**
 * Reports approvals without a `ResultPath`. Their decision is added to the input, because chapter 6 reads both after
 * such an Approval; in other states the default replaces the input. Spec: Agent 6
 */
const mergedDecisions: StateRule<Approval> = ({ name, ResultPath: path, at }, { report }) => {
  if (path === undefined) report(mergedDecision(name), at, { at: 'key' });
};

/** Reports policies that need more approvals than people may give: each person approves once. Spec: Agent 6 §Policy */
const fewApproversForPolicy: StateRule<Approval> = (approval, { report }) => {
  const { Policy: policy, Escalation: escalation, at } = approval;
  const { Approvers: approvers, RequiredApprovals: required = 1 } = policy ?? {};
  if (!approvers || approvers.roles.length > 0 || approvers.users.some(hasHole)) return;
  // Escalation may add enough people, or approve by itself.
  if (escalation.some(({ EscalateTo: to, AutoApprove: approves }) => to !== undefined || approves))
    return;
  const people = [...new Set(approvers.users)];
  const path = [...at, 'Policy', 'Approvers'];
  const follows = [[...at, 'Policy', 'RequiredApprovals'], path, [...path, 'Users']];
  if (people.length < required) report(fewApprovers(people, required), path, { follows });
};

export const approvalRules = [
  ...choiceRules,
  approvalsWithoutQuestion,
  unknownOptions,
  mergedDecisions,
  fewApproversForPolicy,
] as const satisfies readonly StateRule<Approval>[];
