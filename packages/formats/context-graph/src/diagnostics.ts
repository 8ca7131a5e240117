import { didYouMean, problem, type ProblemKind, quotedList } from '@dramaturg/compiler';
import { stateTypes } from './definition.ts';

/** Every kind of problem of a context graph, with its wording. Each has a page in docs/diagnostics/context-graph. */

// The graph as a whole

export const noStates = problem('context-graph/no-states', 'error', () => ({
  message: 'The graph has no states.',
  hint: 'Add an action state to "states", and name it in "new_user_initial_state".',
}));

export const bareState = problem('context-graph/bare-state', 'error', () => ({
  message:
    'This is a state without a graph around it: nothing says where a conversation begins and ends.',
  hint: 'Put it into "states" of a graph with "new_user_initial_state", "returning_user_initial_state" and "terminal_state".',
}));

type Role = 'new_user_initial_state' | 'returning_user_initial_state' | 'terminal_state';

function unknownRole(code: string, role: Role, what: string) {
  return problem(code, 'error', (name: string, known: readonly string[]) => ({
    message: `The graph ${what} in the state "${name}", and there is none.`,
    hint: () => didYouMean(name, known) ?? `"${role}" names an action state of this graph.`,
  }));
}

export const unknownNewUserInitialState = unknownRole(
  'context-graph/unknown-new-user-initial-state',
  'new_user_initial_state',
  'begins for a new user',
);

export const unknownReturningUserInitialState = unknownRole(
  'context-graph/unknown-returning-user-initial-state',
  'returning_user_initial_state',
  'begins for a returning user',
);

export const unknownTerminalState = unknownRole(
  'context-graph/unknown-terminal-state',
  'terminal_state',
  'ends',
);

export const notAnAction = problem(
  'context-graph/not-an-action',
  'error',
  (name: string, type: string, role: string) => ({
    message: `"${role}" is the ${type} state "${name}"; a conversation starts and ends on an action state.`,
    hint: 'Name an action state: no other speaks to the person.',
  }),
);

export const terminalActions = problem(
  'context-graph/terminal-actions',
  'error',
  (name: string, count: number) => ({
    message: `The terminal state "${name}" has ${count} actions; it has exactly one.`,
    hint: 'Make one action of them: it is the last thing that is said.',
  }),
);

export const terminalExits = problem('context-graph/terminal-exits', 'error', (name: string) => ({
  message: `The terminal state "${name}" has exit conditions, and the conversation ends there.`,
  hint: 'Write "exit_conditions": [].',
}));

export const initialIsTerminal = problem(
  'context-graph/initial-is-terminal',
  'warning',
  (name: string) => ({
    message: `The conversation begins in the terminal state "${name}", so it never ends by itself.`,
    hint: 'Nothing is wrong with it if the host ends the conversation.',
  }),
);

export const tooLarge = problem(
  'context-graph/too-large',
  'error',
  (what: 'states' | 'levels', limit: number) => ({
    message: `With every referenced graph entered where it is called, this graph has more than ${limit} ${what}.`,
    hint: 'Call a graph from fewer places, or put what they share into one state before the call.',
  }),
);

// States

export const badName = problem('context-graph/bad-name', 'error', (name: string) => ({
  message: `"${name}" cannot be the name of a state: it is made of letters A to Z, digits and underscores.`,
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

export const duplicateState = problem('context-graph/duplicate-state', 'error', (name: string) => ({
  message: `There is more than one state "${name}".`,
  hint: 'Give each state a name of its own.',
}));

export const nameMismatch = problem(
  'context-graph/name-mismatch',
  'error',
  (key: string, name: string) => ({
    message: `The state stands under the key "${key}" and calls itself "${name}".`,
    hint: 'Remove "name": the key is the name.',
  }),
);

export const unsupportedType = problem(
  'context-graph/unsupported-type',
  'error',
  (type: string) => ({
    message: `There is no state type "${type}" here.`,
    hint: () =>
      didYouMean(type, stateTypes) ??
      `The types are ${stateTypes.map((one) => `"${one}"`).join(', ')}.`,
  }),
);

export const missingField = problem(
  'context-graph/missing-field',
  'error',
  (what: string, fields: readonly string[]) => ({
    message: `This ${what} has no ${quotedList(fields, 'or')}.`,
    hint: fields.every((field) => listFields.has(field))
      ? `Write ${fields.map((field) => `"${field}": []`).join(' and ')} if there is nothing to say, or compile with the option profile=lenient.`
      : `Add ${quotedList(fields)}.`,
  }),
);

const listFields = new Set([
  'intra_state_navigation_guidelines',
  'action_guidelines',
  'boundary_constraints',
  'exit_conditions',
]);

export const blankText = problem('context-graph/blank-text', 'error', (what: string) => ({
  message: `This ${what} is blank.`,
  hint: 'Write something, or leave it out where it may be left out.',
}));

export const unknownField = problem(
  'context-graph/unknown-field',
  'info',
  (what: string, field: string) => ({
    message: `The field "${field}" means nothing in ${what}; it is left aside.`,
  }),
);

export const noActions = problem('context-graph/no-actions', 'error', (name: string) => ({
  message: `The action state "${name}" has no actions.`,
  hint: 'Add at least one thing to say or do: "actions": ["..."].',
}));

export const decisionWithoutExit = problem(
  'context-graph/decision-without-exit',
  'error',
  (name: string) => ({
    message: `The decision "${name}" has no exit conditions, so it could never be left.`,
    hint: 'Add at least one exit condition; the last one is best a catch-all.',
  }),
);

export const recallBoth = problem('context-graph/recall-both', 'warning', (name: string) => ({
  message: `The recall "${name}" has "queries" and "requested_information"; the queries count.`,
  hint: 'Set one of them to null.',
}));

export const recallNeither = problem('context-graph/recall-neither', 'error', (name: string) => ({
  message: `The recall "${name}" does not say what to recall.`,
  hint: 'Add "queries": ["..."], or "requested_information": "...".',
}));

export const toolPersistence = problem(
  'context-graph/tool-persistence',
  'warning',
  (name: string, persistence: string) => ({
    message: `The result of the tool of "${name}" is ${persistence}: the states that follow may not see it.`,
    hint: 'Write "result_persistence": "persisted".',
  }),
);

// Where states lead

export const unknownTarget = problem(
  'context-graph/unknown-target',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no state "${name}".`,
    hint: () =>
      didYouMean(name, known) ??
      (name.includes('.')
        ? `A state of another graph is written ["${name}", "<state to come back to>"].`
        : 'A target is the name of a state of this graph.'),
  }),
);

export const selfTarget = problem('context-graph/self-target', 'error', (name: string) => ({
  message: `The state "${name}" leads to itself.`,
  hint: 'Leave the exit out: an action state stays when no exit condition holds.',
}));

export const badExternalTarget = problem('context-graph/bad-external-target', 'error', () => ({
  message: 'This target is no pair of "reference.state" and the state to come back to.',
  hint: 'Write ["intake.ask_name", "next_step"].',
}));

export const unknownReference = problem(
  'context-graph/unknown-reference',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `"references" has no graph "${name}".`,
    hint: () => didYouMean(name, known) ?? `Add it: "references": { "${name}": [id, version] }.`,
  }),
);

export const referenceNotGiven = problem(
  'context-graph/reference-not-given',
  'error',
  (name: string, id: string, version: number, others: readonly string[]) => ({
    message: `The graph "${name}" (${id}, version ${version}) is not given.`,
    hint:
      others.length > 0
        ? `Given is ${others.map((key) => `"${key}"`).join(', ')}.`
        : `Pass it with the option "graphs": { "${name}": { ... } }.`,
  }),
);

export const unknownExternalState = problem(
  'context-graph/unknown-external-state',
  'error',
  (name: string, reference: string, known: readonly string[]) => ({
    message: `The graph "${reference}" has no state "${name}".`,
    hint: () => didYouMean(name, known),
  }),
);

export const unknownJumpback = problem(
  'context-graph/unknown-jumpback',
  'error',
  (name: string, known: readonly string[]) => ({
    message: `There is no state "${name}" to come back to.`,
    hint: () => didYouMean(name, known) ?? 'The second part of the pair is a state of this graph.',
  }),
);

export const referenceCycle = problem('context-graph/reference-cycle', 'error', (name: string) => ({
  message: `The graph "${name}" leads back to a graph that it is entered from.`,
  hint: 'A graph can only refer to graphs that do not refer to it.',
}));

export const brokenReference = problem(
  'context-graph/broken-reference',
  'error',
  (name: string, errors: number, first: string) => ({
    message: `The graph "${name}" has ${errors === 1 ? 'an error' : `${errors} errors`}: ${first}`,
    hint: 'Check that graph by itself.',
  }),
);

export const unconditionalCycle = problem(
  'context-graph/unconditional-cycle',
  'error',
  (names: readonly string[]) => ({
    message:
      names.length === 1
        ? `The state "${names[0]}" leads back to itself, and nothing on the way can decide otherwise.`
        : `The states ${quotedList(names)} lead to each other endlessly: none of them speaks to the person or decides.`,
    hint: 'Lead out of the circle, or put a decision or an action state into it.',
  }),
);

export const internalCycle = problem('context-graph/internal-cycle', 'warning', (name: string) => ({
  message: `The decision "${name}" can lead back to itself without a word to the person.`,
  hint: 'It goes round as often as a turn allows; describe the exit that leads out so that it is chosen.',
}));

export const unreachable = problem('context-graph/unreachable', 'warning', (name: string) => ({
  message: `Nothing leads to the state "${name}".`,
  hint: 'Lead to it from another state, or remove it. It is not part of the machine.',
}));

export const deadEnd = problem('context-graph/dead-end', 'warning', (name: string) => ({
  message: `The state "${name}" has no exit conditions and is not the terminal state: the conversation never leaves it.`,
  hint: 'Add an exit condition.',
}));

// Advice

export const noSafetyExit = problem('context-graph/no-safety-exit', 'info', (name: string) => ({
  message: `No exit of "${name}" leads to the terminal state: a person who wants to stop here cannot.`,
  hint: 'Add an exit such as "The user explicitly asks to stop now".',
}));

export const density = problem(
  'context-graph/density',
  'info',
  (name: string, count: number, what: string, usual: string) => ({
    message: `"${name}" has ${count} ${what}; ${usual} is usual.`,
  }),
);

export const nonAscii = problem('context-graph/non-ascii', 'info', (character: string) => ({
  message: `This text has the character "${character}", which is not ASCII.`,
  hint: 'Some voices and tools of the platform read ASCII only.',
}));

export const contextGraphProblems: readonly ProblemKind[] = [
  noStates,
  bareState,
  unknownNewUserInitialState,
  unknownReturningUserInitialState,
  unknownTerminalState,
  notAnAction,
  terminalActions,
  terminalExits,
  initialIsTerminal,
  tooLarge,
  badName,
  duplicateState,
  nameMismatch,
  unsupportedType,
  missingField,
  blankText,
  unknownField,
  noActions,
  decisionWithoutExit,
  recallBoth,
  recallNeither,
  toolPersistence,
  unknownTarget,
  selfTarget,
  badExternalTarget,
  unknownReference,
  referenceNotGiven,
  unknownExternalState,
  unknownJumpback,
  referenceCycle,
  brokenReference,
  unconditionalCycle,
  internalCycle,
  unreachable,
  deadEnd,
  noSafetyExit,
  density,
  nonAscii,
];
