import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { calling, summarising, turnRegion } from '@dramaturg/conversation';
import { internal } from '../names.ts';
import { action, guard, input } from './references.ts';

const takeVerdict: ChartTransition = {
  target: 'deciding',
  guard: guard('isOffered'),
  actions: [action('takeVerdict')],
};
const noVerdict: ChartTransition = { target: 'deciding', actions: [action('takeNoVerdict')] };

/** The nodes of the current turn. */
const answering: ChartNode = {
  initial: 'evaluating',
  states: {
    evaluating: {
      id: 'turn:evaluating',
      ...calling(
        'choose',
        input('evaluate', { attempt: 1 }),
        [
          takeVerdict,
          { target: 'responding', guard: guard('isEarly') },
          { target: 'evaluatingAgain' },
        ],
        {
          id: 'evaluate',
          failed: [
            { target: 'responding', guard: guard('isEarlyAndUnreadable') },
            { target: 'evaluatingAgain', guard: guard('isUnreadable') },
          ],
        },
      ),
    },
    // After an answer that is not on offer, the evaluator is asked once more. A second such answer does not count against the
    // player.
    evaluatingAgain: calling(
      'choose',
      input('evaluate', { attempt: 2 }),
      [takeVerdict, noVerdict],
      { id: 'evaluateAgain', failed: [{ ...noVerdict, guard: guard('isUnreadable') }] },
    ),
    // Waits for the scene, which sends `verdict.applied` once the verdict has taken effect.
    deciding: {
      on: {
        [internal.applied]: [{ target: 'responding', actions: [action('announceVerdict')] }],
      },
    },
    responding: {
      id: 'turn:responding',
      ...calling('reply', input('reply'), [{ target: 'spoken', actions: [action('takeReply')] }]),
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
    summarising: summarising({ target: '#turn:waiting' }),
    extracting: calling('extract', input('extract'), [
      { target: 'finishing', actions: [action('takeVariables')] },
    ]),
    finishing: {
      entry: [action('complete')],
      on: { [internal.over]: [{ target: '#ended:' }] },
    },
  },
};

/**
 * A turn: the message is judged once, the verdict takes effect in the scene, and the reply is composed for the state after the move.
 * Spec: docs/formats/npc.md#turn
 */
export const lowerTurn: ChartNode = turnRegion({
  // When a session begins, all running work of an earlier session is dropped.
  on: {
    [internal.opened]: [
      { target: '#turn:waiting', guard: guard('personOpens') },
      { target: '#turn:responding' },
    ],
  },
  waiting: {
    target: '#turn:evaluating',
    resumed: '#turn:responding',
    // The player speaks first. The opening line answers them, and there is no question to judge them by yet.
    first: [
      {
        target: '#turn:responding',
        guard: guard('isFirstWord'),
        actions: [action('takeMessage')],
      },
    ],
  },
  answering,
});
