import { problemsOf } from '@dramaturg/compiler/format';
import { otherTargetProblems } from '@dramaturg/conversation';
import { didYouMean, nearestName } from '@dramaturg/compiler/text';

const { error, info, misread, warning } = problemsOf('plan');

export const unknownTarget = error('unknown-target', (id: string, known: readonly string[]) => ({
  message: `There is no state "${id}".`,
  hint: () =>
    /^_*end_*$/i.test(id)
      ? 'Did you mean "__end__"?'
      : (didYouMean(id, known) ?? 'Write the id of a state of this plan, or "__end__".'),
}));

export const missingTarget = error('missing-target', () => ({
  message: 'This transition has no target.',
  hint: 'Add "target_state_id": the id of a state, or "__end__".',
}));

export const badPriority = error('bad-priority', (priority: string) => ({
  message: `The priority "${priority}" is not a number.`,
  hint: 'Write a number. The lowest one wins.',
}));

export const priorityAsText = warning('priority-as-text', (priority: string) => ({
  message: `The priority is the text "${priority}". It is read as a number.`,
  hint: `Write "priority": ${priority.trim()}.`,
}));

export const unknownConditionType = error(
  'unknown-condition-type',
  (type: string, known: readonly string[], otherNames: Readonly<Record<string, string>>) => ({
    message: `There is no condition type "${type}".`,
    hint: () => didYouMean(type, known, otherNames) ?? `The types are ${known.join(', ')}.`,
  }),
);

export const conditionWithoutType = misread('condition-without-type', (field: string) => ({
  message: `This transition has no "condition_type", so it waits for all tasks and ignores its "${field}".`,
  hint: 'Add "condition_type", such as "deliverable_value".',
}));

export const missingConditionField = error(
  'missing-condition-field',
  (
    type: string,
    fields: readonly { readonly name: string; readonly what: string }[],
    present: readonly string[],
  ) => ({
    message: `${subject(type)} needs ${fields.map(({ name }) => `"${name}"`).join(' and ')}, which ${fields.length === 1 ? 'is' : 'are'} missing.`,
    hint: () => {
      const [{ name } = { name: '' }, ...others] = fields;
      const misspelt = others.length === 0 ? nearestName(name, present) : undefined;
      if (misspelt !== undefined) return `Rename "${misspelt}" to "${name}".`;
      const missing = fields.map((field) => `"${field.name}": ${field.what}`).join(', and ');
      return type === 'condition' ? `Add ${missing}.` : `In "condition_config", add ${missing}.`;
    },
  }),
);

export const badConditionField = error(
  'bad-condition-field',
  (type: string, field: string, what: string) => ({
    message: `The "${field}" of ${type === 'condition' ? 'a condition' : `the condition ${type}`} must be ${what}.`,
  }),
);

export const unreadConditionField = error(
  'unread-condition-field',
  (type: string, field: string, readers: readonly string[], absent: readonly string[]) => ({
    message: `${subject(type)} does not read "${field}".`,
    hint: () =>
      readers.length > 0
        ? `Use the condition ${readers.join(' or ')}, which reads it, or remove it.`
        : (didYouMean(field, absent) ?? 'Remove it, or move the text to "description".'),
  }),
);

function subject(type: string): string {
  return type === 'condition' ? 'A condition' : `The condition ${type}`;
}

export const compositeTooDeep = error('condition-too-deep', (limit: number) => ({
  message: `Conditions are nested more than ${limit} levels deep here.`,
  hint: 'Split the condition into several transitions.',
}));

export const conflictingSpelling = warning(
  'conflicting-spelling',
  (used: string, ignored: string) => ({
    message: `"${used}" and "${ignored}" are two spellings of one field and have different values. "${used}" is used.`,
    hint: `Remove "${ignored}".`,
  }),
);

export const goalConditionOutsideGoalState = warning('goal-condition-outside-goal-state', () => ({
  message: 'The condition goal_achieved can never hold outside a goal state.',
  hint: 'Use all_tasks_complete, or make the state a goal state.',
}));

export const completionInGoalState = info('completion-in-goal-state', () => ({
  message: 'In a goal state all_tasks_complete means goal_achieved.',
}));

export const undeclaredKey = misread(
  'undeclared-deliverable',
  (keys: readonly string[], known: readonly string[]) => ({
    message: `No task collects ${quoted(keys)}, so ${keys.length === 1 ? 'this condition' : 'these conditions'} can never hold.`,
    hint: () => near(keys, known) ?? `Add a deliverable ${quoted(keys)} to a task.`,
  }),
);

export const undeclaredInsight = misread(
  'undeclared-insight',
  (keys: readonly string[], known: readonly string[]) => ({
    message: `No task collects ${quoted(keys)}. It has a value only if an agent records it as an insight in a goal state.`,
    hint: () =>
      near(keys, known) ??
      `Add a deliverable ${quoted(keys)} to make sure that the agent asks for it.`,
  }),
);

function quoted(keys: readonly string[]): string {
  return shortList(keys.map((key) => `"${key}"`));
}

function near([key = '', ...others]: readonly string[], known: readonly string[]) {
  return others.length === 0 ? didYouMean(key, known) : undefined;
}

export const collectedTooLate = warning('collected-too-late', (key: string) => ({
  message: `"${key}" is not collected here, nor in any state that leads here, so this condition holds only if the person says it unasked.`,
  hint: 'Collect it in this state or in one before it.',
}));

export const { fieldOfAnotherTarget } = otherTargetProblems('plan', 'target_state_id');

export const impossibleValue = misread(
  'impossible-value',
  (key: string, value: string, possible: string, options: readonly string[]) => ({
    message: `"${key}" can never be ${value}: it is ${possible}.`,
    hint: () => didYouMean(value.replaceAll('"', ''), options),
  }),
);

export const coercedValue = warning(
  'coerced-value',
  (key: string, written: string, read: string) => ({
    message: `"${key}" is compared with ${written}, which is read as ${read}.`,
    hint: `Write ${read}.`,
  }),
);

export const numericOnText = misread('numeric-on-text', (key: string, type: string) => ({
  message: `"${key}" is of type ${type}, so this numeric comparison holds only if the text is a number.`,
  hint: 'Declare the deliverable with "type": "number".',
}));

export const shadowedTransition = warning('shadowed-transition', (earlier: string) => ({
  message: `This transition can never be taken: ${earlier}.`,
  hint: 'Change the order by "priority" (the lowest wins), or remove it.',
}));

export const limitNeverReached = warning(
  'limit-never-reached',
  (turns: number, sooner: number) => ({
    message: `This transition can never be taken: the state is left after ${sooner} ${sooner === 1 ? 'turn' : 'turns'}, and nothing leads back to it.`,
    hint: `For example, after ${sooner} ${sooner === 1 ? 'turn' : 'turns'} the other transition leads on, and never after ${turns}. Keep one of the two, or count only turns "without_progress" for the lower limit.`,
  }),
);

export const contradictoryCondition = warning(
  'contradictory-condition',
  (one: string, other: string) => ({
    message: `This condition can never hold: "${one}" and "${other}" exclude each other.`,
    hint: 'Use "any_of" if one of the two is enough, or remove one.',
  }),
);

export const ambiguousTransitions = warning('ambiguous-transitions', (priority: number) => ({
  message: `This transition has the same priority (${priority}) as an earlier one. When both hold, the earlier one is taken.`,
  hint: 'Give them different priorities. The default is 1.',
}));

export const selfTransition = warning('self-transition', (state: string) => ({
  message: `This transition leads back to its own state "${state}", whose tasks then start again.`,
  hint: 'Remove it to stay in the state until another transition holds.',
}));

export const uncoveredValue = warning(
  'uncovered-value',
  (state: string, key: string, values: readonly string[]) => ({
    message:
      values.length === 0
        ? `When "${key}" is any other text, no transition of "${state}" holds: the conversation stays there.`
        : `When "${key}" is ${shortList(values)}, no transition of "${state}" holds: the conversation stays there.`,
    hint: 'Add a transition for this value, or one with "condition_type": "all_tasks_complete" and a higher "priority" number.',
  }),
);

export const noWayOn = warning('no-way-on', (state: string, keys: readonly string[]) => ({
  message: `The state "${state}" can be complete while no transition holds: each transition waits for ${shortList(keys.map((key) => `"${key}"`))}, which is optional.`,
  hint: 'Add a transition with "condition_type": "all_tasks_complete", or make the deliverable and its task required.',
}));

/** `1, 2 or 3`; a long list is cut. */
function shortList(words: readonly string[]): string {
  const shown = words.slice(0, 8);
  const rest = words.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} or one of ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}
