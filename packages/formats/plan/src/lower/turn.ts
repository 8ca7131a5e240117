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
        always: [{ target: 'waiting', guard: { type: 'personOpens' } }, { target: 'answering' }],
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
  guard: { type: 'hasFarewell' },
  actions: [{ type: 'sayFarewell' }],
};

function endings(hasEnded: 'hasEnded' | 'hasEndedMeanwhile'): ChartTransition[] {
  return [farewell, { target: '#turn:closed', guard: { type: hasEnded } }];
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
          { target: 'replying', guard: { type: 'hasEnded' } },
          {
            target: 'extracting',
            guard: { type: 'hasQuestions' },
            actions: [{ type: 'address' }],
          },
          { target: 'settling', actions: [{ type: 'takeNothing' }] },
        ],
      },
    },
    extracting: {
      invoke: [
        {
          id: 'extract',
          src: 'extract',
          input: { type: 'extract' },
          onDone: [{ target: 'settling', actions: [{ type: 'takeExtraction' }] }],
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
      entry: [{ type: 'address' }],
      invoke: [
        {
          id: 'reply',
          src: 'reply',
          input: { type: 'reply' },
          onDone: [{ target: 'spoken', actions: [{ type: 'takeReply' }] }],
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
