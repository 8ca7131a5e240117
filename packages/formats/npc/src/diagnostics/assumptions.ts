import { problem } from '@dramaturg/compiler/format';

/** The defaults for fields that an author left out. */

export const bareStates = problem('npc/bare-states', 'info', () => ({
  message:
    'These are states without a persona or a scenario around them. They are compiled as a scenario in pass/fail mode.',
  hint: 'Write { "persona": {...}, "machine_key": ..., "states": [...], "transitions": [...] } to add a persona and transitions.',
}));

export const assumedInitialState = problem('npc/assumed-initial-state', 'info', (key: string) => ({
  message: `No state is initial, so the conversation begins in the first one, "${key}".`,
  hint: 'Set "is_initial_state": true in the state where the conversation begins.',
}));

export const assumedTransitions = problem('npc/assumed-transitions', 'info', () => ({
  message: 'There are no transitions, so a pass leads from each state to the next one in the list.',
  hint: 'Write "transitions" to choose the order yourself.',
}));

export const assumedEnd = problem('npc/assumed-end', 'info', () => ({
  message: 'No state is terminal, so a last state is added in which the NPC says goodbye.',
  hint: 'Set "is_terminal_state": true in the state that ends the conversation.',
}));

export const noPersona = problem('npc/no-persona', 'info', () => ({
  message: 'There is no persona, so the NPC has no name and no identity.',
  hint: 'Add "persona": { "name": ..., "persona_identity_prompt": ... }.',
}));
