import { conversationAgent, type ConversationBehaviour } from '@dramaturg/conversation';
import { collectActions } from './collect.ts';
import { guards, reasons } from './guards.ts';
import { migration } from './migration.ts';
import { collected, inputFields, result, start } from '../context.ts';
import { inputs, nextReply } from './prompt.ts';
import { turnActions, turnGuards } from './turn.ts';
import { updateActions, validate } from './update.ts';
import { visitActions } from './visit.ts';
import { work } from './work.ts';

/** The code for the names in a plan's chart. */
export const behaviour = {
  contexts: { start },
  guards: { ...guards, ...turnGuards },
  actions: { ...visitActions, ...updateActions, ...collectActions, ...turnActions },
  inputs: { ...inputs, validate, work },
  nextReplies: { extract: nextReply },
  outputs: { result },
  standing: { collected },
  reasons,
  migration,
  agent: conversationAgent(inputFields),
} satisfies ConversationBehaviour;
