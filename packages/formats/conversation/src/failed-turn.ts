import { isRecord } from '@dramaturg/compiler';
import {
  type ChartNode,
  type ChartTransition,
  failedTag,
  restingTag,
  waitingTag,
} from '@dramaturg/compiler/chart';
import { action, guard } from './behaviour.ts';
import type { ConversationContext, HandledEvent } from './context.ts';
import { refuseMessage } from './inbox.ts';

/**
 * A turn whose port call failed rests in one node, and all earlier decisions are kept. `turn.retry`, or the same message again,
 * enters a history node, which repeats the call. Any other message waits until the turn is over. Spec:
 * docs/events.md#failed-turns
 */

const failedTurnNode = 'turn:failed';
const failedCallNode = 'turn:failed-call';

/** Leads to the node of the failed turn. `onError` of every call that a turn depends on. */
export function failTurn(port: string): ChartTransition[] {
  return [{ target: `#${failedTurnNode}`, actions: [action('failTurn', { port })] }];
}

/** The node in which a failed turn rests. */
export function failedTurn(tags: readonly string[] = []): ChartNode {
  const target = `#${failedCallNode}`;
  return {
    id: failedTurnNode,
    tags: [waitingTag, restingTag, failedTag, ...tags],
    on: {
      'turn.retry': [{ target }],
      'message.received': [
        { target, guard: guard('isSentAgain') },
        { target, guard: guard('isMessage'), actions: [action('putInInbox')] },
        refuseMessage,
      ],
    },
  };
}

/** Entering this node repeats the failed call: the node that makes the call was the last active one. */
export const failedCall: ChartNode = { id: failedCallNode, type: 'history' };

/**
 * `turn.failed` with the error of a call. The action that emits it does not change the context, so that the repeated call has the
 * same input and the same key.
 */
export function turnFailed(
  { context: { message }, event }: { context: ConversationContext; event: HandledEvent },
  port: string,
): { readonly type: 'turn.failed'; readonly [field: string]: unknown } {
  return {
    type: 'turn.failed',
    port,
    code: errorCode(event),
    message: errorMessage(event),
    ...(message === null ? {} : { unanswered: message }),
  };
}

export function errorCode({ error }: HandledEvent): string {
  return isRecord(error) && typeof error['code'] === 'string' ? error['code'] : 'port/failed';
}

export function errorMessage({ error }: HandledEvent): string {
  if (error instanceof Error) return error.message;
  return String((isRecord(error) ? error['message'] : undefined) ?? error);
}
