import {
  type ChartNode,
  type ChartTransition,
  restingTag,
  waitingTag,
} from '@dramaturg/compiler/chart';
import {
  failedCall,
  failedTurn,
  failTurn,
  messageInTurn,
  summarising,
  takeFromInbox,
  takeMessage,
} from '@dramaturg/conversation';
import { internal } from '../names.ts';
import { action, guard, input } from './references.ts';

/**
 * Says who must act next. A turn leads from `waiting` back to `waiting`: the message is taken from the inbox, its values
 * are extracted and recorded, the plan moves until no transition holds, and the reply is composed for the new state.
 * After a failed port call the turn rests in `failed`, and continues from that call. Spec: docs/formats/plan.md#turn
 */
export function turnRegion(
  checksValues: boolean,
  hasAgents: boolean,
  summariseAfter?: number,
): ChartNode {
  const summed = summariseAfter === undefined ? answering : withSummary(answering, summariseAfter);
  const turn = checksValues ? withChecks(summed) : summed;
  return {
    initial: 'opening',
    // For all nodes except `waiting` and `failed`: a message that arrives during a turn waits.
    on: {
      'message.received': messageInTurn,
    },
    states: {
      opening: {
        always: [
          { target: 'waiting', guard: guard('personOpens') },
          ...(hasAgents ? [toWork] : []),
          { target: 'answering' },
        ],
      },
      waiting: {
        id: 'turn:waiting',
        tags: [waitingTag, restingTag],
        always: [...(checksValues ? [toCheck] : []), ...takeFromInbox('#turn:listening')],
        on: {
          'message.received': takeMessage('#turn:listening'),
          [internal.settled]: [...endings('hasEnded'), lineAfterUpdate('#turn:settling')],
        },
      },
      answering: hasAgents ? withWork(turn) : turn,
      failed: failed(),
      closed: { id: 'turn:closed', type: 'final' },
    },
  };
}

/** The author's farewell is the last message; without one, the reply to the person's last message is the last. */
const farewell = {
  target: '#turn:closed',
  guard: guard('hasFarewell'),
  actions: [action('sayFarewell')],
};

function endings(hasEnded: 'hasEnded' | 'hasEndedMeanwhile'): ChartTransition[] {
  return [farewell, { target: '#turn:closed', guard: guard(hasEnded) }];
}

/** The question to which an update from outside has led is asked, once for several updates. */
function lineAfterUpdate(target: string): ChartTransition {
  return { target, guard: guard('isOverdue'), actions: [action('beginLine')] };
}

/** The nodes of the current turn. */
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
      id: 'turn:settling',
      on: {
        [internal.settled]: [
          farewell,
          { target: '#turn:waiting', guard: guard('hasMore'), actions: [action('forgetMessage')] },
          { target: 'replying' },
        ],
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
      // The line after an update is made again when another one follows.
      on: { [internal.settled]: [lineAfterUpdate('#turn:settling')] },
    },
    spoken: { on: { [internal.settled]: [...endings('hasEnded'), { target: '#turn:waiting' }] } },
    failedCall,
  },
};

/** Adds a summary of a long conversation, after the reply. */
function withSummary({ states = {}, ...rest }: ChartNode, after: number): ChartNode {
  const next = { target: 'summarised', actions: [action('settle')] };
  const summarise = { target: 'summarising', guard: guard('isSummaryDue', { after }) };
  const toWaiting = [...endings('hasEnded'), { target: '#turn:waiting' }];
  return {
    ...rest,
    states: {
      ...states,
      spoken: { on: { [internal.settled]: toWaiting.toSpliced(-1, 0, summarise) } },
      summarising: {
        invoke: [
          summarising(after, {
            written: [{ ...next, actions: [action('takeSummary', { after }), ...next.actions] }],
            failed: [next],
          }),
        ],
      },
      summarised: { on: { [internal.settled]: toWaiting } },
    },
  };
}

const toCheck: ChartTransition = { target: '#turn:checking', guard: guard('hasUnchecked') };

/** Adds the checks of values with a rule of the program, before they are recorded: for messages and for updates. */
function withChecks({ states, ...rest }: ChartNode): ChartNode {
  return {
    ...rest,
    states: {
      ...states,
      checking: {
        id: 'turn:checking',
        invoke: [
          {
            id: 'validate',
            src: 'validate',
            input: input('validate'),
            onDone: [{ target: 'settling', actions: [action('takeCheck')] }],
            onError: failTurn('validate'),
          },
        ],
      },
      settling: {
        id: 'turn:settling',
        always: [toCheck],
        on: {
          [internal.settled]: [
            farewell,
            { target: 'replying', guard: guard('owesReply') },
            { target: '#turn:closed', guard: guard('hasEnded') },
            { target: '#turn:waiting' },
          ],
        },
      },
    },
  };
}

const toWork: ChartTransition = { target: '#turn:working', guard: guard('hasWork') };

/**
 * Adds the tasks of agents. They are done in the turn in which they are ready, before the reply. Spec:
 * docs/formats/plan.md#agents
 */
function withWork({ states = {}, ...rest }: ChartNode): ChartNode {
  const workFirst = ({ on = {}, ...node }: ChartNode): ChartNode => {
    const [end = farewell, ...others] = on[internal.settled] ?? [];
    const steps = [end, toWork, toPerson, ...others];
    return { ...node, on: { ...on, [internal.settled]: steps } };
  };
  return {
    ...rest,
    states: {
      ...states,
      settling: workFirst(states['settling']!),
      spoken: workFirst(states['spoken']!),
      working: {
        id: 'turn:working',
        entry: [action('beginWork')],
        invoke: [
          {
            id: 'work',
            src: 'runAgent',
            input: input('work'),
            onDone: [{ target: 'settling', actions: [action('takeWork')] }],
            onError: [{ target: 'settling', actions: [action('takeFailedWork')] }],
          },
        ],
        on: {
          [internal.settled]: [
            { target: 'settling', guard: guard('isWorkObsolete'), actions: [action('settle')] },
          ],
        },
      },
    },
  };
}

const toPerson: ChartTransition = {
  target: 'replying',
  guard: guard('needsPerson'),
  actions: [action('askForPerson')],
};

/** The plan can end by an event from outside while a failed turn rests. */
function failed(): ChartNode {
  const node = failedTurn();
  return { ...node, on: { ...node.on, [internal.settled]: endings('hasEndedMeanwhile') } };
}
