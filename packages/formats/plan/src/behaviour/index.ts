import { conversationAgent, type ConversationBehaviour } from '@dramaturg/conversation';
import { collectActions } from './collect.ts';
import { guards } from './guards.ts';
import { inputs } from './inputs.ts';
import { migration } from './migration.ts';
import { nextReply } from './next-reply.ts';
import { collected, result } from './outputs.ts';
import { reasons } from './reasons.ts';
import { inputFields, start } from './start.ts';
import { turnActions, turnGuards } from './turn.ts';
import { updateActions } from './update.ts';
import { visitActions } from './visit.ts';

/** The code for the names in a plan's chart. */
export const behaviour = {
  contexts: { start },
  guards: { ...guards, ...turnGuards },
  actions: { ...visitActions, ...updateActions, ...collectActions, ...turnActions },
  inputs,
  nextReplies: { extract: nextReply },
  outputs: { result },
  standing: { collected },
  reasons,
  migration,
  agent: conversationAgent(inputFields),
} satisfies ConversationBehaviour;
