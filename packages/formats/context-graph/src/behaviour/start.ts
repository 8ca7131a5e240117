import type { ContextMaker } from '@dramaturg/compiler/format';
import { readConversationInput, refuseInput } from '@dramaturg/conversation';
import { freshKnowledge, type GraphContext } from '../context.ts';

/** Fields of the actor's input besides those that every conversation has. */
export const inputFields = ['returning'];

/**
 * The first context. The host knows whether the person is a returning user: a graph says nothing about identity.
 *
 * @throws InputError with everything in the input that is unknown or does not fit
 */
export const start: ContextMaker<GraphContext, { state: string }> = ({ input }, { state }) => {
  const { fields, conversation, opening, problems } = readConversationInput(input, inputFields);
  const { returning = false } = fields;
  if (typeof returning !== 'boolean') problems.push('"returning" must be true or false');
  refuseInput(problems);
  return {
    conversation,
    returning: returning === true,
    opening: opening ?? 'agent',
    state,
    knowledge: freshKnowledge,
    turn: 0,
    messages: 0,
    message: null,
    inbox: [],
    traversal: null,
    outcome: null,
    reason: null,
  };
};
