import { type ChartNode, restingTag, waitingTag } from '@dramaturg/compiler/chart';
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

/** The nodes of the current turn. */
const answering: ChartNode = {
  initial: 'evaluating',
  states: {
    evaluating: {
      id: 'turn:evaluating',
      invoke: [
        {
          id: 'evaluate',
          src: 'choose',
          input: input('evaluate', { attempt: 1 }),
          onDone: [
            {
              target: 'deciding',
              guard: guard('isOffered'),
              actions: [action('takeVerdict')],
            },
            { target: 'responding', guard: guard('isEarly') },
            { target: 'evaluatingAgain' },
          ],
          onError: [
            { target: 'responding', guard: guard('isEarlyAndUnreadable') },
            { target: 'evaluatingAgain', guard: guard('isUnreadable') },
            ...failTurn('choose'),
          ],
        },
      ],
    },
    // After an answer that is not on offer, the evaluator is asked once more. A second such answer does not count against the
    // player.
    evaluatingAgain: {
      invoke: [
        {
          id: 'evaluateAgain',
          src: 'choose',
          input: input('evaluate', { attempt: 2 }),
          onDone: [
            {
              target: 'deciding',
              guard: guard('isOffered'),
              actions: [action('takeVerdict')],
            },
            { target: 'deciding', actions: [action('takeNoVerdict')] },
          ],
          onError: [
            {
              target: 'deciding',
              guard: guard('isUnreadable'),
              actions: [action('takeNoVerdict')],
            },
            ...failTurn('choose'),
          ],
        },
      ],
    },
    // Waits for the scene, which sends `verdict.applied` once the verdict has taken effect.
    deciding: {
      on: {
        [internal.applied]: [{ target: 'responding', actions: [action('announceVerdict')] }],
      },
    },
    responding: {
      id: 'turn:responding',
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
    spoken: {
      always: [
        { target: '#ended:', guard: guard('isEndedByAgent') },
        { target: 'extracting', guard: guard('hasOutputVariables') },
        { target: 'finishing', guard: guard('hasOutcome') },
        { target: 'summarising', guard: guard('isSummaryDue') },
        { target: '#turn:waiting' },
      ],
    },
    summarising: {
      invoke: [
        {
          id: 'summarise',
          src: 'think',
          input: input('summarise'),
          onDone: [{ target: '#turn:waiting', actions: [action('takeSummary')] }],
          onError: failTurn('think'),
        },
      ],
    },
    extracting: {
      invoke: [
        {
          id: 'extract',
          src: 'extract',
          input: input('extract'),
          onDone: [{ target: 'finishing', actions: [action('takeVariables')] }],
          onError: failTurn('extract'),
        },
      ],
    },
    finishing: {
      entry: [action('complete')],
      on: { [internal.over]: [{ target: '#ended:' }] },
    },
    failedCall,
  },
};

/**
 * Says who must act next. A turn leads from `waiting` back to `waiting`: the message is taken from the inbox and judged once, the
 * verdict takes effect in the scene, and the reply is composed for the state after the move. After a failed port call the turn
 * rests in `failed`, and continues from that call. Spec: docs/formats/npc.md#turn
 */
export const turnRegion: ChartNode = {
  initial: 'starting',
  on: {
    // For all nodes except `waiting` and `failed`: a message that arrives during a turn waits.
    'message.received': messageInTurn,
    // When a session begins, all running work of an earlier session is dropped.
    [internal.opened]: [
      { target: '#turn:waiting', guard: guard('personOpens') },
      { target: '#turn:responding' },
    ],
  },
  states: {
    starting: {},
    waiting: {
      id: 'turn:waiting',
      tags: [waitingTag, restingTag],
      always: takeFromInbox('#turn:evaluating'),
      on: {
        'message.received': [
          // The player speaks first. The opening line answers them, and there is no question to judge them by yet.
          {
            target: '#turn:responding',
            guard: guard('isFirstWord'),
            actions: [action('takeMessage')],
          },
          ...takeMessage('#turn:evaluating'),
        ],
      },
    },
    answering,
    failed: failedTurn(),
  },
};
