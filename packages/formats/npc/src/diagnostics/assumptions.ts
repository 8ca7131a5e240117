import { problem } from '@dramaturg/compiler';

/** What is assumed where an author has left something out. */

export const bareStates = problem('npc/bare-states', 'info', () => ({
  message:
    'This is states without a persona or a scenario around them; they are compiled as a scenario in pass/fail mode.',
  hint: 'Write { "persona": {...}, "machine_key": ..., "states": [...], "transitions": [...] } to say more.',
}));

export const assumedInitialState = problem('npc/assumed-initial-state', 'info', (key: string) => ({
  message: `No state is the initial one, so the conversation begins in the first, "${key}".`,
  hint: 'Set "is_initial_state": true in the state it is to begin in.',
}));

export const assumedTransitions = problem('npc/assumed-transitions', 'info', () => ({
  message: 'There are no transitions, so a pass leads from each state to the next one in the list.',
  hint: 'Write "transitions" to choose the way yourself.',
}));

export const assumedEnd = problem('npc/assumed-end', 'info', () => ({
  message: 'No state is terminal, so a last one is supplied in which the NPC takes its leave.',
  hint: 'Set "is_terminal_state": true in the state that ends the conversation.',
}));

export const noPersona = problem('npc/no-persona', 'info', () => ({
  message: 'There is no persona: the NPC has neither a name nor an identity of its own.',
  hint: 'Add "persona": { "name": ..., "persona_identity_prompt": ... }.',
}));
