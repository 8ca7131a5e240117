import type { ChartNode, ChartTransition } from '@dramaturg/compiler';
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
      'message.received': [
        { guard: { type: 'isMessage' }, actions: [{ type: 'putInInbox' }] },
        refuseMessage,
      ],
    },
    states: {
      opening: {
        always: [{ target: 'waiting', guard: { type: 'personOpens' } }, { target: 'answering' }],
      },
      waiting: {
        id: 'turn:waiting',
        tags: ['waiting', 'resting'],
        always: [
          {
            target: '#turn:listening',
            guard: { type: 'hasInbox' },
            actions: [{ type: 'takeFromInbox' }],
          },
        ],
        on: {
          'message.received': [
            {
              target: '#turn:listening',
              guard: { type: 'isMessage' },
              actions: [{ type: 'takeMessage' }],
            },
            refuseMessage,
          ],
          [internal.settled]: endings('hasEnded'),
        },
      },
      answering,
      failed,
      closed: { id: 'turn:closed', type: 'final' },
    },
  };
}

const refuseMessage = { actions: [{ type: 'refuseMessage' }] };

/** An author's farewell is the last word; without one, the reply to the person's last message is. */
const farewell = {
  target: '#turn:closed',
  guard: { type: 'hasFarewell' },
  actions: [{ type: 'sayFarewell' }],
};

function endings(hasEnded: 'hasEnded' | 'hasEndedMeanwhile'): ChartTransition[] {
  return [farewell, { target: '#turn:closed', guard: { type: hasEnded } }];
}

function failTurn(port: string): ChartTransition[] {
  return [{ target: '#turn:failed', actions: [{ type: 'failTurn', params: { port } }] }];
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
    // Entering it makes the failed call again: the node that makes the call was the last one active.
    failedCall: { id: 'turn:failed-call', type: 'history' },
  },
};

/** A call has failed. Everything decided before it stays decided. */
const failed: ChartNode = {
  id: 'turn:failed',
  tags: ['waiting', 'resting', 'failed'],
  on: {
    'turn.retry': [{ target: '#turn:failed-call' }],
    'message.received': [
      { target: '#turn:failed-call', guard: { type: 'isSentAgain' } },
      {
        target: '#turn:failed-call',
        guard: { type: 'isMessage' },
        actions: [{ type: 'putInInbox' }],
      },
      refuseMessage,
    ],
    [internal.settled]: endings('hasEndedMeanwhile'),
  },
};
