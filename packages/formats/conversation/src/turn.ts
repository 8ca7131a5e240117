import { isRecord, type PortName } from '@dramaturg/compiler';
import {
  type ChartNode,
  type ChartTransition,
  failedTag,
  type PortInvoke,
  restingTag,
  waitingTag,
} from '@dramaturg/compiler/chart';
import { action, guard } from './behaviour.ts';
import type { ConversationContext, HandledEvent } from './context.ts';

/**
 * The chart of a turn, which says who must act next. A turn leads from a waiting node back to it: the message is taken, understood
 * and acted on, and the reply is composed. A turn whose port call failed rests in one node, and all earlier decisions are kept:
 * `turn.retry`, or a message, repeats the call. Messages that arrive during a turn wait until it is over. Spec:
 * docs/events.md#failed-turns
 */

type Transitions = readonly ChartTransition[];
type Handlers = NonNullable<ChartNode['on']>;

/** The parts of a turn that a format gives. */
export interface TurnParts {
  /** Before the first turn. */
  readonly opening?: ChartNode;
  readonly waiting: Waiting;
  /** The nodes from a message to its reply. */
  readonly answering: ChartNode;
  /** The events of the format during a turn. */
  readonly on?: Handlers;
  /** The events of the format while a failed turn rests. */
  readonly onFailed?: Handlers;
}

/** A region that says who must act next. */
export function turnRegion({
  opening = {},
  waiting,
  answering,
  on,
  onFailed = {},
}: TurnParts): ChartNode {
  const failed = failedTurn();
  return {
    initial: 'opening',
    on: { 'message.received': messageInTurn, ...on },
    states: {
      opening,
      waiting: waitingNode('turn:waiting', waiting),
      answering: { ...answering, states: { ...answering.states, failedCall } },
      failed: { ...failed, on: { ...failed.on, ...onFailed } },
    },
  };
}

interface Waiting {
  /** The id of the node that takes a message. */
  readonly target: string;
  /** Transitions before the next turn begins. */
  readonly always?: Transitions;
  /** Transitions of a message that come before those of every conversation. */
  readonly first?: Transitions;
  /** The id of the node that leads to a line without a message, when a person has returned the conversation. */
  readonly resumed: string;
  /** The other events that end the waiting. */
  readonly on?: Handlers;
}

/** The node in which a conversation waits for the contact: a message of the inbox begins the next turn immediately. */
export function waitingNode(
  id: string,
  { target, always = [], first = [], resumed, on }: Waiting,
): ChartNode {
  return {
    id,
    tags: [waitingTag, restingTag],
    always: [
      ...always,
      { guard: guard('isInboxOnlyToHear'), actions: [action('hearInbox')] },
      { target, guard: guard('hasInbox'), actions: [action('takeFromInbox')] },
    ],
    on: {
      'message.received': [
        ...first,
        { guard: guard('isOnlyToHear'), actions: [action('hearOnly')] },
        { target, guard: guard('isMessage'), actions: [action('takeMessage')] },
        refuseMessage,
      ],
      'turn.resume': [
        { target: resumed, guard: guard('hasAsked'), actions: [action('resumeTurn')] },
      ],
      ...on,
    },
  };
}

const refuseMessage: ChartTransition = { actions: [action('refuseMessage')] };

/** During a turn: the message waits. */
export const messageInTurn: Transitions = [
  { guard: guard('isMessage'), actions: [action('putInInbox')] },
  refuseMessage,
];

const failedTurnNode = 'turn:failed';
const failedCallNode = 'turn:failed-call';

/**
 * The call of a port that the turn depends on.
 *
 * @param failed the transitions of failures that the format handles itself
 */
export function calling(
  src: PortName,
  input: PortInvoke['input'],
  onDone: Transitions,
  { id = src, failed = [] }: { readonly id?: string; readonly failed?: Transitions } = {},
): { readonly invoke: readonly [PortInvoke] } {
  return { invoke: [{ id, src, input, onDone, onError: [...failed, ...failTurn(src)] }] };
}

/** Leads to the node of the failed turn. */
export function failTurn(port: PortName): ChartTransition[] {
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
        ...messageInTurn.map((one) => (one.guard ? { ...one, target } : one)),
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
