import { type Chart, isRecord, type PortName } from '@dramaturg/compiler';
import {
  type ChartNode,
  type ChartTransition,
  failedTag,
  nodeKey,
  type PortInvoke,
  restingTag,
  waitingTag,
} from '@dramaturg/compiler/chart';
import type { TurnFailed } from '@dramaturg/compiler/format';
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

interface ChartParts extends Pick<Chart, 'format' | 'context' | 'meta'> {
  readonly description: string | undefined;
  /** The regions, and the events that end the conversation from outside. */
  readonly conversation: ChartNode;
  readonly ended?: ChartNode;
}

/** A chart with two parallel regions: what the conversation is in, and the turn, which says who must act next. */
export function conversationChart(name: string, parts: ChartParts): Chart {
  const { format, description, context, meta, conversation, ended } = parts;
  return {
    chart: 1,
    format,
    // Every other id of the chart contains a colon, so none can equal this one.
    id: nodeKey(name).replaceAll(':', '%3A'),
    ...(description && { description }),
    context,
    output: { type: 'result' },
    initial: 'conversation',
    meta: { origin: [], ...meta },
    states: {
      conversation: { type: 'parallel', ...conversation },
      ended: { ...ended, type: 'final', entry: [action('announceEnd')] },
    },
  };
}

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
  return {
    initial: 'opening',
    on: { 'message.received': messageInTurn, ...on },
    states: {
      opening,
      waiting: waitingNode(waiting),
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
function waitingNode({ target, always = [], first = [], resumed, on }: Waiting): ChartNode {
  return {
    id: 'turn:waiting',
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
const messageInTurn: Transitions = [
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

const toFailedCall: ChartTransition = { target: `#${failedCallNode}` };

/** The node in which a failed turn rests. */
const failed: ChartNode = {
  id: failedTurnNode,
  tags: [waitingTag, restingTag, failedTag],
  on: {
    'turn.retry': [toFailedCall],
    'message.received': [
      { ...toFailedCall, guard: guard('isSentAgain') },
      ...messageInTurn.map((one) => (one.guard ? { ...one, ...toFailedCall } : one)),
    ],
  },
};

/** Entering this node repeats the failed call: the node that makes the call was the last active one. */
const failedCall: ChartNode = { id: failedCallNode, type: 'history' };

/**
 * `turn.failed`. The action that emits it does not change the input of the failed call, so that the repeated call has the same key.
 */
export function turnFailed(
  { message }: Pick<ConversationContext, 'message'>,
  failure: Omit<TurnFailed, 'type' | 'unanswered'> & { readonly state?: string },
): TurnFailed {
  return { type: 'turn.failed', ...failure, ...(message !== null && { unanswered: message }) };
}

export function errorCode({ error }: HandledEvent): string {
  return isRecord(error) && typeof error['code'] === 'string' ? error['code'] : 'port/failed';
}

export function errorMessage({ error }: HandledEvent): string {
  if (error instanceof Error) return error.message;
  return String((isRecord(error) ? error['message'] : undefined) ?? error);
}
