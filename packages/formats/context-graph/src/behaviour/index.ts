import { conversationAgent, type ConversationBehaviour } from '@dramaturg/conversation';
import { learnActions } from './answer.ts';
import { guards, reasons } from './guards.ts';
import { migration } from './migration.ts';
import { moveActions } from './move.ts';
import { inputs, nextReply } from './prompt.ts';
import { inputFields, start } from './start.ts';
import { toolActions } from './tool-use.ts';
import { result, turnActions, turnGuards } from './turn.ts';

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
