import { type ChartNode, type ChartTransition, restingTag, waitingTag } from '@dramaturg/compiler';
import {
  failedCall,
  failedTurn,
  failTurn,
  messageInTurn,
  takeFromInbox,
  takeMessage,
} from '@dramaturg/conversation';
import { internal } from '../names.ts';
import { action, guard, input } from './references.ts';

/**
 * Whose move it is. A turn goes from `waiting` round to `waiting`: the message is taken up, what it says is extracted
 * and recorded, the plan moves on until no transition holds any more, and the reply is composed for the state after the
 * move. After a failed port call the turn rests in `failed`, and goes on from that call. Spec: docs/formats/plan.md#turn
 */
export function turnRegion(): ChartNode {
  return {
    initial: 'opening',
    // One rule for all nodes but `waiting` and `failed`: a message that comes in the middle of a turn waits.
    on: {
      'message.received': messageInTurn,
    },
    states: {
      opening: {
        always: [{ target: 'waiting', guard: guard('personOpens') }, { target: 'answering' }],
      },
      waiting: {
        id: 'turn:waiting',
        tags: [waitingTag, restingTag],
        always: takeFromInbox('#turn:listening'),
        on: {
          'message.received': takeMessage('#turn:listening'),
          [internal.settled]: endings('hasEnded'),
        },
      },
      answering,
      failed: failed(),
      closed: { id: 'turn:closed', type: 'final' },
    },
  };
}

/** An author's farewell is the last word; without one, the reply to the person's last message is. */
const farewell = {
  target: '#turn:closed',
  guard: guard('hasFarewell'),
  actions: [action('sayFarewell')],
};

function endings(hasEnded: 'hasEnded' | 'hasEndedMeanwhile'): ChartTransition[] {
  return [farewell, { target: '#turn:closed', guard: guard(hasEnded) }];
}

/** The turn in hand. */
const answering: ChartNode = {
  initial: 'replying',
  states: {
    listening: {
      id: 'turn:listening',
      on: {
        [internal.settled]: [
          farewell,
          { target: 'replying', guard: guard('hasEnded') },
          {
            target: 'extracting',
            guard: guard('hasQuestions'),
            actions: [action('address')],
          },
          { target: 'settling', actions: [action('takeNothing')] },
        ],
      },
    },
    extracting: {
      invoke: [
        {
          id: 'extract',
          src: 'extract',
          input: input('extract'),
          onDone: [{ target: 'settling', actions: [action('takeExtraction')] }],
          onError: failTurn('extract'),
        },
      ],
    },
    settling: {
      on: {
        [internal.settled]: [farewell, { target: 'replying' }],
      },
    },
    replying: {
      entry: [action('address')],
      invoke: [
        {
          id: 'reply',
          src: 'reply',
          input: input('reply'),
          onDone: [{ target: 'spoken', actions: [action('takeReply')] }],
          onError: failTurn('reply'),
        },
      ],
    },
    spoken: { on: { [internal.settled]: [...endings('hasEnded'), { target: '#turn:waiting' }] } },
    failedCall,
  },
};

/** The plan can end by an event from outside while a failed turn rests. */
function failed(): ChartNode {
  const node = failedTurn();
  return { ...node, on: { ...node.on, [internal.settled]: endings('hasEndedMeanwhile') } };
}
