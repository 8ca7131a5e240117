import type { Authoring } from '@dramaturg/compiler/format';
import { otherTargets as words } from '@dramaturg/conversation';

/** The names of a definition for an NPC. The states of a scenario are known only within it. */
export const authoring: Authoring = {
  declarations: [
    ...[['**', 'states', '#'], ['#']].map((at) => ({
      noun: 'state',
      at,
      name: ['state_key'],
      title: ['label', 'prompt_instruction'],
      isLocal: true as const,
    })),
    ...['machines', 'scenarios'].map((list) => ({
      noun: 'scenario',
      at: [list, '#'],
      name: ['machine_key'],
      kind: ['scoring_mode'],
      title: ['name', 'description'],
    })),
    { noun: 'variable', at: ['variables', '#'], name: ['key'], title: ['value'] },
    {
      noun: 'output variable',
      at: ['**', 'output_variables', '#'],
      name: ['key'],
      title: ['extraction_prompt'],
    },
  ],
  references: [
    { noun: 'state', at: ['**', 'from_state_key'] },
    { noun: 'state', at: ['**', 'to_state_key'], words },
    { noun: 'scenario', at: ['machine_links', '#', 'source_machine_key'] },
    { noun: 'scenario', at: ['machine_links', '#', 'target_machine_key'] },
  ],
  sections: {
    '': 'npc.md#scenario',
    persona: 'npc.md#persona',
    persona_identity_prompt: 'npc.md#persona',
    machines: 'npc.md#scenario',
    scenarios: 'npc.md#scenario',
    states: 'npc.md#state',
    evaluation_criteria: 'npc.md#evaluation',
    terminal_outcome: 'npc.md#outcomes',
    follow_up_limit: 'npc.md#follow-up',
    transitions: 'npc.md#transitions',
    output_variables: 'npc.md#variables',
    variables: 'npc.md#variables',
    machine_links: 'npc.md#links',
  },
};
