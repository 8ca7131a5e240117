import { conversationAgent, type ConversationBehaviour } from '@dramaturg/conversation';
import { inputFields, start } from '../context.ts';
import { answerActions } from './answer.ts';
import { guards, reasons } from './guards.ts';
import { migration } from './migration.ts';
import { inputs, nextReply } from './prompt.ts';
import { result, turnActions, turnGuards } from './turn.ts';

/** The code for the names in a graph's chart. */
export const behaviour = {
  contexts: { start },
  guards: { ...guards, ...turnGuards },
  actions: { ...turnActions, ...answerActions },
  inputs,
  nextReplies: { select: nextReply },
  outputs: { result },
  migration,
  reasons,
  agent: conversationAgent(inputFields),
} satisfies ConversationBehaviour;
