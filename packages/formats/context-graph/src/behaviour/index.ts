import { conversationAgent, type ConversationBehaviour } from '@dramaturg/conversation';
import { learnActions, toolActions } from './answer.ts';
import { guards, reasons } from './guards.ts';
import { migration } from './migration.ts';
import { moveActions, result, turnActions, turnGuards } from './turn.ts';
import { inputs, nextReply } from './prompt.ts';
import { inputFields, start } from '../context.ts';

/** The code for the names in a graph's chart. */
export const behaviour = {
  contexts: { start },
  guards: { ...guards, ...turnGuards },
  actions: { ...turnActions, ...moveActions, ...learnActions, ...toolActions },
  inputs,
  nextReplies: { select: nextReply },
  outputs: { result },
  migration,
  reasons,
  agent: conversationAgent(inputFields),
} satisfies ConversationBehaviour;
