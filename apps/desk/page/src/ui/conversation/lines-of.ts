import type { DeskClient } from '../../service/desk-client.ts';
import type { Conversation, Line } from '../../service/protocol.ts';

/** Messages that are shown at first and that "earlier" adds; messages that are shown at most. */
export const [linesShown, linesMax] = [200, 1_000];

export interface Lines {
  readonly conversation: Conversation;
  readonly lines: readonly Line[];
  readonly hasEarlier: boolean;
}

/** Loads a conversation and its last messages. */
export function linesOf(client: DeskClient, id: string, shown: number) {
  return async (signal: AbortSignal): Promise<Lines> => {
    const conversation = await client.conversation(id, signal);
    const from = Math.max(0, conversation.transcriptLength - shown);
    const lines = await client.lines(id, from, signal);
    return { conversation, lines, hasEarlier: from > 0 };
  };
}
