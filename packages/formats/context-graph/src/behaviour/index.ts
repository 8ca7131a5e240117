import { conversationAgent, type ConversationBehaviour } from '@dramaturg/conversation';
import { guards } from './guards.ts';
import { inputs } from './inputs.ts';
import { learnActions } from './learn.ts';
import { migration } from './migration.ts';
import { moveActions } from './move.ts';
import { nextReply } from './prompt.ts';
import { reasons } from './reasons.ts';
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
