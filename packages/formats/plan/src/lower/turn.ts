import type { ChartNode } from '@dramaturg/compiler';
import { internal } from '../names.ts';

/**
 * Whose move it is. A turn goes from `waiting` round to `waiting`: the message is taken up, what it says is extracted
 * and recorded, the plan moves on until no transition holds any more, and the reply is composed for the state after the
 * move. A failed port call ends the turn and loses nothing but the turn. Spec: docs/formats/plan.md#turn
 */
export function turnRegion(): ChartNode {
  return {
    initial: 'opening',
    // One rule for all nodes but `waiting`: a message that comes in the middle of a turn waits.
    on: {
      'message.received': [
        { guard: { type: 'isMessage' }, actions: [{ type: 'putInInbox' }] },
        refuseMessage,
      ],
    },
    states: {
      opening: {
        always: [{ target: 'waiting', guard: { type: 'personOpens' } }, { target: 'replying' }],
      },
      waiting: {
        tags: ['waiting', 'resting'],
        always: [
          {
            target: 'listening',
            guard: { type: 'hasInbox' },
            actions: [{ type: 'takeFromInbox' }],
          },
        ],
        on: {
          'message.received': [
            {
              target: 'listening',
              guard: { type: 'isMessage' },
              actions: [{ type: 'takeMessage' }],
            },
            refuseMessage,
          ],
          [internal.settled]: endings,
        },
      },
      listening: {
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
            onError: [
              { target: 'waiting', actions: [{ type: 'failTurn', params: { port: 'extract' } }] },
            ],
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
            onError: [
              {
                target: 'spoken',
                actions: [{ type: 'failTurn', params: { port: 'reply' } }, { type: 'settle' }],
              },
            ],
          },
        ],
      },
      spoken: { on: { [internal.settled]: [...endings, { target: 'waiting' }] } },
      closed: { type: 'final' },
    },
  };
}

const refuseMessage = { actions: [{ type: 'refuseMessage' }] };

/** An author's farewell is the last word; without one, the reply to the person's last message is. */
const farewell = {
  target: 'closed',
  guard: { type: 'hasFarewell' },
  actions: [{ type: 'sayFarewell' }],
};

const endings = [farewell, { target: 'closed', guard: { type: 'hasEnded' } }];
