import { type ContextMaker, isRecord } from '@dramaturg/compiler';
import { freshKnowledge, type GraphContext } from '../context.ts';

/** The first context. Who is a returning user is for the host to know: identity is no part of a graph. */
export const start: ContextMaker<GraphContext> = ({ input }, { state }: { state: string }) => {
  const fields = isRecord(input) ? input : {};
  const { conversation } = fields;
  return {
    conversation:
      typeof conversation === 'string' && conversation !== '' ? conversation : 'conversation',
    returning: fields['returning'] === true,
    opening: fields['opening'] === 'person' ? 'person' : 'agent',
    state,
    knowledge: freshKnowledge,
    turn: 0,
    messages: 0,
    message: null,
    inbox: [],
    traversal: null,
    outcome: null,
  };
};
