import {
  type Action,
  agentRequests,
  isRecord,
  refusedFields,
  type ToolCall,
} from '@dramaturg/compiler';
import type { NpcContext } from '../context.ts';
import { messageProblem } from './guards.ts';
import { currentScenario, type NpcScope } from './meta.ts';
import { readVariables } from './start.ts';
import { withLine } from './verdict.ts';

/** Actions of the turn region: messages in, port answers taken, lines out. */

type NpcAction<Params = unknown> = Action<NpcContext, NpcScope['event'], Params>;

const takeMessage: NpcAction = ({ context, event }) => ({
  context: listenTo(context, event['text'] as string),
});

const takeFromInbox: NpcAction = ({ context }) => {
  const [text = '', ...inbox] = context.inbox;
  return { context: { ...listenTo(context, text), inbox } };
};

/** A player's message begins a turn. */
function listenTo(context: NpcContext, text: string): Partial<NpcContext> {
  return { message: text, turn: context.turn + 1, messages: context.messages + 1, verdict: null };
}

const putInInbox: NpcAction = ({ context, event }) => ({
  context: { inbox: [...context.inbox, event['text'] as string] },
});

const refuseMessage: NpcAction = ({ context, event }) => ({
  emit: [{ type: 'message.refused', because: messageProblem(context, event['text']) ?? '' }],
});

/** The line is out. What was said in a follow-up stays at hand until it is left. */
const takeReply: NpcAction = ({ context, event }) => {
  const { text, toolCalls } = event['output'] as { text: string; toolCalls: readonly ToolCall[] };
  const { directive, thread, outcome, messages, state } = context;
  const { ending, events } = agentRequests(toolCalls, [], state);
  // An NPC may end the conversation without another word.
  const isSent = ending === undefined || text.trim() !== '';
  const sent = { type: 'message.sent', text, key: callKey(context, 'reply'), state };
  return {
    context: {
      messages: messages + (isSent ? 1 : 0),
      // Once the outcome stands, the scenario ends by its own rules.
      ...(ending && outcome === null ? { endedByAgent: ending } : {}),
      opened: true,
      thread: directive === 'probe' ? withLine(thread, { by: 'npc', text }) : thread,
      // The last message is still wanted when the output variables are read.
      ...(outcome === null ? { message: null } : {}),
    },
    emit: [...(isSent ? [sent] : []), ...events],
  };
};

/** The session's part of the conversation, by which its log is found. */
export function sessionId({ conversation, session }: NpcContext): string {
  return session <= 1 ? conversation : `${conversation}/session-${session}`;
}

/** Names a call, and the message that comes of it: the same after a crash. */
export function callKey(context: NpcContext, port: string): string {
  return `${sessionId(context)}/${context.turn}/${port}`;
}

const longestSummary = 8_000;

const takeSummary: NpcAction = ({ context, event }) => {
  const text = (event['output'] as { text: string }).text.slice(0, longestSummary);
  return {
    context: { summary: text, summarised: context.messages },
    emit: [{ type: 'summary.written', text }],
  };
};

/** Only what was asked for is kept. */
const takeVariables: NpcAction = (scope) => {
  const { value } = scope.event['output'] as { value: Record<string, unknown> };
  const { machine_key, output_variables } = currentScenario(scope);
  const wanted = output_variables.flatMap(({ key }) =>
    Object.hasOwn(value, key) ? [[key, value[key]]] : [],
  );
  const variables = readVariables(Object.fromEntries(wanted));
  const keys = output_variables.map(({ key }) => key);
  // What comes besides an answer is left out; an answer that is nothing else is no answer.
  const refused = wanted.length > 0 ? [] : refusedFields(value, keys, scope.context.state);
  return {
    context: { variables: { ...scope.context.variables, ...variables } },
    emit: [...refused, { type: 'variables.extracted', machine: machine_key, variables }],
  };
};

/** Says that a call failed. The context stays as it is, so that the call can be made again with the same input. */
const failTurn: NpcAction<{ port: string }> = ({ context: { message }, event }, { port }) => {
  const error: unknown = event['error'];
  const fields = isRecord(error) ? error : {};
  return {
    emit: [
      {
        type: 'turn.failed',
        port,
        code: typeof fields['code'] === 'string' ? fields['code'] : 'port/failed',
        message: error instanceof Error ? error.message : String(fields['message'] ?? error),
        ...(message === null ? {} : { unanswered: message }),
      },
    ],
  };
};

export const turnActions = {
  takeMessage,
  takeFromInbox,
  putInInbox,
  refuseMessage,
  takeReply,
  takeSummary,
  takeVariables,
  failTurn,
};
