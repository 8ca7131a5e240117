import { conversationAgent, type ConversationBehaviour } from '@dramaturg/conversation';
import { guards, reasons } from './guards.ts';
import { migration } from './migration.ts';
import { inputs } from './prompt.ts';
import { collected, result, sessionActions, turnActions, turnGuards } from './turn.ts';
import { inputFields, start } from './start.ts';
import { verdictActions } from './verdict.ts';

/** The code for the names in an NPC's chart. */
export const behaviour = {
  contexts: { start },
  guards: { ...guards, ...turnGuards },
  actions: { ...sessionActions, ...verdictActions, ...turnActions },
  inputs,
  outputs: { result },
  standing: { collected },
  migration,
  reasons,
  agent: conversationAgent(inputFields),
} satisfies ConversationBehaviour;
