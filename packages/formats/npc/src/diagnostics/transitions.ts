import { problemsOf } from '@dramaturg/compiler/format';
import { otherTargetProblems } from '@dramaturg/conversation';
import { didYouMean } from '@dramaturg/compiler/text';
import { decisions } from '../definition.ts';

const { error, warning } = problemsOf('npc');

/** Problems of a transition. */

export const unknownState = error('unknown-state', (key: string, known: readonly string[]) => ({
  message: `There is no state "${key}" in the scenario.`,
  hint: () => didYouMean(key, known) ?? 'Write the state_key of a state of this scenario.',
}));

export const { fieldOfAnotherTarget } = otherTargetProblems('npc', 'to_state_key');

export const unknownDecision = error('unknown-decision', (word: string) => ({
  message: `There is no decision type "${word}".`,
  hint: () => didYouMean(word, decisions) ?? `The types are ${decisions.join(', ')}.`,
}));

export const leavesTerminalState = error('leaves-terminal-state', (key: string) => ({
  message: `The state "${key}" is terminal, so no transition can leave it.`,
  hint: 'Remove the transition, or set "is_terminal_state": false.',
}));

export const passToItself = error('pass-to-itself', (key: string) => ({
  message: `This pass leads from "${key}" back to itself.`,
  hint: 'Lead to another state, or write "decision_type": "redirect" to stay.',
}));

export const redirectElsewhere = warning('redirect-elsewhere', (key: string) => ({
  message: `A redirect stays in its state, so the state "${key}" is not entered.`,
  hint: 'Lead to its own state, or make it a pass.',
}));

export const rejectWithoutPass = warning('reject-without-pass', (key: string) => ({
  message: `In scoring mode a reject follows the transition for a pass. "${key}" has none, so the reject ends the conversation with REJECT.`,
  hint: 'Add a transition with "decision_type": "pass".',
}));

export const rejectElsewhere = warning('reject-elsewhere', (target: string, pass?: string) => ({
  message:
    pass === undefined
      ? `In pass/fail mode a reject ends the conversation, so the state "${target}" is not entered.`
      : `In scoring mode a reject follows the transition for a pass, to "${pass}", so the state "${target}" is not entered.`,
  hint:
    pass === undefined
      ? `Name a terminal state. To reach "${target}", make this a pass with a "condition".`
      : `Write "${pass}" here. To reach "${target}", add a second pass with a "condition".`,
}));

export const rewardedReject = warning('rewarded-reject', (delta: number) => ({
  message: `This reject adds ${delta} to the score.`,
  hint: 'Write a negative "score_delta", which is usual for a reject.',
}));

export const ignoredDelta = warning('ignored-delta', (delta: number) => ({
  message: `The score_delta ${delta} has no effect in pass/fail mode.`,
  hint: 'Remove it, or set "scoring_mode": "scoring".',
}));

export const missingCondition = warning('missing-condition', (decision: string, state: string) => ({
  message: `The state "${state}" has several transitions for ${decision}, and this one has no "condition".`,
  hint: 'Add "condition": a text that says when the evaluator should choose it.',
}));
