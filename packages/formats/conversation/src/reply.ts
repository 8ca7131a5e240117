import { type EventObject, isRecord, type JsonObject, type ToolCall } from '@dramaturg/compiler';
import type { ConversationOutput } from '@dramaturg/compiler/format';
import { joined } from './call.ts';
import type { ConversationContext, HandledEvent } from './context.ts';
import { ask, type OpenQuestion } from './early.ts';
import { type OnEnd, startRequested } from './hand-on.ts';
import { refuseWaiting } from './inbox.ts';

/** The content of an agent's reply. */
export interface Reply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** Nothing is sent, because a person has answered or more messages have arrived. Only a host sets this. */
  readonly silent?: 'answered' | 'superseded' | undefined;
  /** The agent ends the conversation with this reply. */
  readonly ending: AgentEnding | undefined;
  /** Events for the tools that every conversation understands, and for tools that are not on offer. */
  readonly requests: readonly EventObject[];
}

type Said = Pick<Reply, 'text' | 'ending' | 'silent'>;

/**
 * Reads the output of the port `reply`.
 *
 * @param offered names of the tools that the format itself acts on
 * @param state named in the events
 */
export function readReply(event: HandledEvent, offered: readonly string[], state: string): Reply {
  const {
    text,
    toolCalls = [],
    silent,
  } = event['output'] as {
    text: string;
    toolCalls?: readonly ToolCall[];
    silent?: Reply['silent'];
  };
  const { ending, events } = agentRequests(toolCalls, offered, state);
  return { text, toolCalls, silent, ending, requests: events };
}

/** Whether a message is sent: an agent may end the conversation without another word. */
export function isSent({ text, ending, silent }: Said): boolean {
  return !silent && (ending === undefined || text.trim() !== '');
}

/** `message.sent`, unless the reply is silent. */
export function messageSent(reply: Said, key: string, state: string): EventObject[] {
  return isSent(reply) ? [{ type: 'message.sent', text: reply.text, key, state }] : [];
}

/**
 * The changes of the context after a reply. A superseded message stays unanswered: the next reply answers it, too.
 *
 * @param question the question of the reply
 */
export function replied(
  context: ConversationContext,
  reply: Said,
  question: OpenQuestion | undefined,
): Pick<ConversationContext, 'superseded' | 'message' | 'messages' | 'asked'> {
  const { superseded, message, messages } = context;
  const isSuperseded = reply.silent === 'superseded';
  return {
    ...(isSuperseded
      ? { superseded: joined(superseded, message) }
      : superseded !== undefined && { superseded: undefined }),
    message: null,
    messages: messages + (isSent(reply) ? 1 : 0),
    ...ask(context, question, reply.silent),
  };
}

/** The last events of a conversation. */
export function ended(
  context: ConversationContext,
  output: ConversationOutput,
  onEnd: OnEnd | undefined,
  values: JsonObject,
): EventObject[] {
  return [
    ...refuseWaiting(context),
    ...startRequested(onEnd, context.conversation, output.outcome, values),
    { type: 'conversation.ended', ...output },
  ];
}

/** The outcome of a conversation that its agent ended early. */
export const endedByAgent = 'ended_by_agent';

/** The outcomes of every conversation, besides those of its author. */
export const usualOutcomes = ['completed', 'cancelled', endedByAgent];

/** The agent ends the conversation. */
export interface AgentEnding {
  readonly reason?: string;
}

/** The requests of an agent in a reply, besides the tools of its format. */
export interface AgentRequests {
  readonly ending: AgentEnding | undefined;
  /** `help.requested`, and `update.refused` for calls of tools that are not on offer. */
  readonly events: readonly EventObject[];
}

/**
 * Reads the tools that every conversation understands in a reply without offering them. A host takes them out before its
 * flow sees them; in memory the flow acts on them. Spec: docs/events.md#what-an-agent-may-ask-for
 *
 * @param offered names of the tools that the format itself acts on
 * @param state named in the events
 */
export function agentRequests(
  toolCalls: readonly ToolCall[],
  offered: readonly string[],
  state: string,
): AgentRequests {
  const ending = toolCalls.find(({ name }) => name === endConversation);
  return {
    ending: ending && reasonIn(ending),
    events: toolCalls.flatMap((call): EventObject[] => {
      if (call.name === endConversation || offered.includes(call.name)) return [];
      if (call.name === requestHuman) return [{ type: 'help.requested', ...reasonIn(call), state }];
      const because = `The tool "${call.name}" is not on offer.`;
      return [{ type: 'update.refused', what: call.name, because, state }];
    }),
  };
}

const endConversation = 'end_conversation';
const requestHuman = 'request_human_intervention';

/** In UTF-16 units. */
const longestReason = 500;

function reasonIn({ arguments: given }: ToolCall): AgentEnding {
  const reason = isRecord(given) ? given['reason'] : undefined;
  return typeof reason === 'string' && reason.trim() !== ''
    ? { reason: reason.slice(0, longestReason) }
    : {};
}
