import { problemsOf } from '@dramaturg/compiler/format';

const { info } = problemsOf('npc');

/** The defaults for fields that an author left out. */

export const bareStates = info('bare-states', () => ({
  message:
    'These are states without a persona or a scenario around them. They are compiled as a scenario in pass/fail mode.',
  hint: 'Write { "persona": {...}, "machine_key": ..., "states": [...], "transitions": [...] } to add a persona and transitions.',
}));

export const assumedInitialState = info('assumed-initial-state', (key: string) => ({
  message: `No state is initial, so the conversation begins in the first one, "${key}".`,
  hint: 'Set "is_initial_state": true in the state where the conversation begins.',
}));

export const assumedTransitions = info('assumed-transitions', () => ({
  message: 'There are no transitions, so a pass leads from each state to the next one in the list.',
  hint: 'Write "transitions" to choose the order yourself.',
}));

export const assumedEnd = info('assumed-end', () => ({
  message: 'No state is terminal, so a last state is added in which the NPC says goodbye.',
  hint: 'Set "is_terminal_state": true in the state that ends the conversation.',
}));

export const noPersona = info('no-persona', () => ({
  message: 'There is no persona, so the NPC has no name and no identity.',
  hint: 'Add "persona": { "name": ..., "persona_identity_prompt": ... }.',
}));
