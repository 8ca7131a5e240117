import type { EventObject, ToolCall } from '@dramaturg/compiler';
import { type AgentEnding, agentRequests } from './agent-requests.ts';
import type { HandledEvent } from './context.ts';

/** What a reply of the agent brings. */
export interface Reply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** Nothing is said: a person has answered, or more messages have come. Only a host answers so. */
  readonly silent?: 'answered' | 'superseded' | undefined;
  /** The agent ends the conversation with this reply. */
  readonly ending: AgentEnding | undefined;
  /** Events for the tools that every conversation understands, and for those that are not on offer. */
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
