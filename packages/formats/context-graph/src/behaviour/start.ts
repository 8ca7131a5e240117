import type { ContextMaker } from '@dramaturg/compiler/format';
import { readConversationInput, refuseInput } from '@dramaturg/conversation';
import { freshKnowledge, type GraphContext } from '../context.ts';
import type { Address } from '../names.ts';

/** Fields of the actor's input besides those that every conversation has. */
export const inputFields = ['returning'];

/** The states in which conversations of new and of returning users begin. */
export type Roles = Readonly<
  Record<'new_user_initial_state' | 'returning_user_initial_state', string>
>;

export function initialState(returning: boolean, roles: Roles): Address {
  return roles[returning ? 'returning_user_initial_state' : 'new_user_initial_state'];
}

/**
 * The first context. The host knows whether the person is a returning user: a graph says nothing about identity.
 *
 * @throws InputError with everything in the input that is unknown or does not fit
 */
export const start: ContextMaker<GraphContext, Roles> = ({ input }, roles) => {
  const { fields, conversation, opening, problems } = readConversationInput(input, inputFields);
  const { returning = false } = fields;
  if (typeof returning !== 'boolean') problems.push('"returning" must be true or false');
  refuseInput(problems);
  return {
    conversation,
    returning: returning === true,
    opening: opening ?? 'agent',
    state: initialState(returning === true, roles),
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
