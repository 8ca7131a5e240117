import {
  callKey,
  type HandledEvent,
  hear,
  inbox,
  messageProblem,
  messageSent,
  type OpenQuestion,
  readReply,
  refusedFields,
  replied,
  takeSummary as foldedIn,
} from '@dramaturg/conversation';
import type { NpcContext } from '../context.ts';
import { currentScenario, type NpcActions, type NpcScope } from './meta.ts';
import { sessionIsOver } from './session.ts';
import { readVariables } from './start.ts';
import { withLine } from './verdict.ts';

/**
 * Owns the turn: `turn`, `message`, `messages`, `inbox`, `opened` and `summary` of the context. A turn is waiting, evaluating,
 * deciding (the region `scene` applies the verdict), responding, summarising, extracting, finishing or failed. Each session
 * resets all of these.
 */

/** Why a message is refused. After the outcome no message is taken; a blank message cannot be judged. */
export function problemOf(context: NpcContext, text: unknown): string | undefined {
  if (context.outcome !== null) return sessionIsOver;
  if (typeof text === 'string' && text.trim() === '') return 'The message is blank.';
  return messageProblem(context, text);
}

/** The question of a state: it is open from the NPC's first line on. */
function openQuestion({ context }: Pick<NpcScope, 'context'>): OpenQuestion | undefined {
  return context.opened ? { id: `${context.session}/${context.state}` } : undefined;
}

const hearing = inbox<NpcContext>({
  listen: ({ context }, event: HandledEvent) => ({
    context: { ...hear(context, event, undefined), verdict: null },
  }),
  questionOf: openQuestion,
  problemOf,
});

export const turnGuards = hearing.guards;

export const turnActions = {
  ...hearing.actions,

  /** Sends the line. The lines of a follow-up are kept until it is left. */
  takeReply: ({ context, event }) => {
    const { directive, thread, outcome, state } = context;
    const answer = readReply(event, [], state);
    const { text, ending, requests, silent } = answer;
    const opened = context.opened || !silent;
    return {
      context: {
        ...replied(context, answer, openQuestion({ context: { ...context, opened } })),
        // Once there is an outcome, the scenario ends by its own rules.
        ...(ending && outcome === null ? { endedByAgent: ending } : {}),
        opened,
        thread: directive === 'probe' && !silent ? withLine(thread, { by: 'npc', text }) : thread,
        ...(directive === 'hand_over' && !silent ? { directive: 'redirect' } : {}),
        // The last message is still needed to extract the output variables.
        ...(outcome === null ? {} : { message: context.message }),
      },
      emit: [...messageSent(answer, callKey(inSession(context), 'reply'), state), ...requests],
    };
  },

  /** Only requested variables are kept. */
  takeVariables: (scope) => {
    const { value } = scope.event['output'] as { value: Record<string, unknown> };
    const { machine_key, output_variables } = currentScenario(scope);
    const wanted = output_variables.flatMap(({ key }) =>
      Object.hasOwn(value, key) ? [[key, value[key]]] : [],
    );
    const variables = readVariables(Object.fromEntries(wanted));
    const keys = output_variables.map(({ key }) => key);
    // Unknown fields are ignored next to a known one. An answer with only unknown fields is refused.
    const refused = wanted.length > 0 ? [] : refusedFields(value, keys, scope.context.state);
    return {
      context: { variables: { ...scope.context.variables, ...variables } },
      emit: [...refused, { type: 'variables.extracted', machine: machine_key, variables }],
    };
  },

  takeSummary: (scope) => foldedIn(scope, currentScenario(scope).summarise_after!),
} satisfies NpcActions;

/** The context with the id of the session. Each session of a conversation has its own log, and keys of its own for its calls. */
export function inSession(context: NpcContext): NpcContext {
  const { conversation, session } = context;
  return session <= 1
    ? context
    : { ...context, conversation: `${conversation}/session-${session}` };
}
