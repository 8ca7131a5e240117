import type { ChartNode } from '@dramaturg/compiler';
import { internal } from '../names.ts';

/**
 * Whose move it is. A turn goes from `waiting` round to `waiting`: the message is taken up, judged once, the verdict has
 * its effect in the scene, and the reply is composed for the state after the move. Spec: docs/formats/npc.md#turn
 */
export const turnRegion: ChartNode = {
  initial: 'starting',
  on: {
    // One rule for all nodes but `waiting`: a message that comes in the middle of a turn waits.
    'message.received': [
      { guard: { type: 'isMessage' }, actions: [{ type: 'putInInbox' }] },
      { actions: [{ type: 'refuseMessage' }] },
    ],
    // However a session begins, what was under way for an earlier one is given up.
    [internal.opened]: [
      { target: '#turn:waiting', guard: { type: 'personOpens' } },
      { target: '#turn:responding' },
    ],
  },
  states: {
    starting: {},
    waiting: {
      id: 'turn:waiting',
      tags: ['waiting', 'resting'],
      always: [
        {
          target: 'evaluating',
          guard: { type: 'hasInbox' },
          actions: [{ type: 'takeFromInbox' }],
        },
      ],
      on: {
        'message.received': [
          // The player speaks first: the opening line answers them, and there is nothing yet to judge them by.
          {
            target: 'responding',
            guard: { type: 'isFirstWord' },
            actions: [{ type: 'takeMessage' }],
          },
          {
            target: 'evaluating',
            guard: { type: 'isMessage' },
            actions: [{ type: 'takeMessage' }],
          },
          { actions: [{ type: 'refuseMessage' }] },
        ],
      },
    },
    evaluating: {
      invoke: [
        {
          id: 'evaluate',
          src: 'choose',
          input: { type: 'evaluate', params: { attempt: 1 } },
          onDone: [
            {
              target: 'deciding',
              guard: { type: 'isOffered' },
              actions: [{ type: 'takeVerdict' }],
            },
            { target: 'evaluatingAgain' },
          ],
          onError: [{ target: 'evaluatingAgain', guard: { type: 'isUnreadable' } }, undo('choose')],
        },
      ],
    },
    // An answer that is not on offer is asked for once more; a second one does not count against the player.
    evaluatingAgain: {
      invoke: [
        {
          id: 'evaluateAgain',
          src: 'choose',
          input: { type: 'evaluate', params: { attempt: 2 } },
          onDone: [
            {
              target: 'deciding',
              guard: { type: 'isOffered' },
              actions: [{ type: 'takeVerdict' }],
            },
            { target: 'deciding', actions: [{ type: 'takeNoVerdict' }] },
          ],
          onError: [
            {
              target: 'deciding',
              guard: { type: 'isUnreadable' },
              actions: [{ type: 'takeNoVerdict' }],
            },
            undo('choose'),
          ],
        },
      ],
    },
    // The scene has the word: it says `verdict.applied` once the verdict has had its effect.
    deciding: {
      on: {
        [internal.applied]: [{ target: 'responding', actions: [{ type: 'announceVerdict' }] }],
      },
    },
    responding: {
      id: 'turn:responding',
      invoke: [
        {
          id: 'reply',
          src: 'reply',
          input: { type: 'reply' },
          onDone: [{ target: 'spoken', actions: [{ type: 'takeReply' }] }],
          onError: [
            { target: 'spoken', actions: [{ type: 'failTurn', params: { port: 'reply' } }] },
          ],
        },
      ],
    },
    spoken: {
      always: [
        { target: '#ended:', guard: { type: 'isEndedByAgent' } },
        { target: 'extracting', guard: { type: 'hasOutputVariables' } },
        { target: 'finishing', guard: { type: 'hasOutcome' } },
        { target: 'summarising', guard: { type: 'isSummaryDue' } },
        { target: 'waiting' },
      ],
    },
    summarising: {
      invoke: [
        {
          id: 'summarise',
          src: 'think',
          input: { type: 'summarise' },
          onDone: [{ target: 'waiting', actions: [{ type: 'takeSummary' }] }],
          onError: [
            { target: 'waiting', actions: [{ type: 'failTurn', params: { port: 'think' } }] },
          ],
        },
      ],
    },
    extracting: {
      invoke: [
        {
          id: 'extract',
          src: 'extract',
          input: { type: 'extract' },
          onDone: [{ target: 'finishing', actions: [{ type: 'takeVariables' }] }],
          onError: [
            { target: 'finishing', actions: [{ type: 'failTurn', params: { port: 'extract' } }] },
          ],
        },
      ],
    },
    finishing: {
      entry: [{ type: 'complete' }],
      on: { [internal.over]: [{ target: '#ended:' }] },
    },
  },
};

/** Without a verdict nothing has happened: the player may say it again. */
function undo(port: string) {
  return { target: 'waiting', actions: [{ type: 'undoTurn', params: { port } }] };
}
