import { problemsOf } from '@dramaturg/compiler/format';
import { isOtherTarget } from '@dramaturg/conversation';
import { didYouMean } from '@dramaturg/compiler/text';
import { stateTypes } from '../state-types.ts';

const { error, warning } = problemsOf('context-graph');

export const badName = error('bad-name', (name: string) => ({
  message: isOtherTarget(name)
    ? `"${name}" is a reserved name and cannot be the name of a state.`
    : `"${name}" cannot be the name of a state: only the letters A to Z, digits and underscores are allowed.`,
  hint: nameHint(name),
}));

function nameHint(name: string): string | undefined {
  const near = name
    .normalize('NFD')
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64);
  return near === '' ? undefined : `Write "${near}".`;
}

export const duplicateState = error('duplicate-state', (name: string) => ({
  message: `There is more than one state "${name}".`,
  hint: 'Give each state a name of its own.',
}));

export const nameMismatch = error('name-mismatch', (key: string, name: string) => ({
  message: `The state has the key "${key}" and the name "${name}".`,
  hint: 'Remove "name": the key is the name.',
}));

export const unsupportedType = error('unsupported-type', (type: string) => ({
  message: `The state type "${type}" is not supported.`,
  hint: () =>
    didYouMean(type, stateTypes) ??
    `The types are ${stateTypes.map((one) => `"${one}"`).join(', ')}.`,
}));

export const noActions = error('no-actions', (name: string) => ({
  message: `The action state "${name}" has no actions.`,
  hint: 'Add at least one thing to say or do: "actions": ["..."].',
}));

export const decisionWithoutExit = error('decision-without-exit', (name: string) => ({
  message: `The decision "${name}" has no exit conditions, so the conversation could never leave it.`,
  hint: 'Add at least one exit condition. Make the last one a catch-all.',
}));

export const recallBoth = warning('recall-both', (name: string) => ({
  message: `The recall "${name}" has both "queries" and "requested_information". Only the queries are used.`,
  hint: 'Set one of them to null.',
}));

export const recallNeither = error('recall-neither', (name: string) => ({
  message: `The recall "${name}" does not say what to recall.`,
  hint: 'Add "queries": ["..."], or "requested_information": "...".',
}));

export const versionNotEnforced = warning('not-enforced', (constraint: string) => ({
  message: `The version "${constraint}" is not enforced: the tool that has the id is called, whatever its version.`,
  hint: 'Give that version of the tool under this id, and remove the field.',
}));

export const toolPersistence = warning('tool-persistence', (name: string, persistence: string) => ({
  message: `The tool result of "${name}" is ${persistence}, so later states may not see it.`,
  hint: 'Write "result_persistence": "persisted".',
}));
