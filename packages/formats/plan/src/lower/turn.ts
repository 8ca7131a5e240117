import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { calling, summarising, turnRegion } from '@dramaturg/conversation';
import { internal } from '../names.ts';
import { action, guard, input } from './references.ts';

/**
 * A turn: the values of the message are extracted and recorded, the plan moves until no transition holds, and the reply is composed
 * for the new state. Spec: docs/formats/plan.md#turn
 */
export function lowerTurn(
  checksValues: boolean,
  hasAgents: boolean,
  summariseAfter?: number,
): ChartNode {
  const summed = summariseAfter === undefined ? answering : withSummary(answering, summariseAfter);
  const turn = checksValues ? withChecks(summed) : summed;
  const region = turnRegion({
    opening: {
      always: [
        { target: 'waiting', guard: guard('personOpens') },
        ...(hasAgents ? [toWork] : []),
        { target: 'answering' },
      ],
    },
    waiting: {
      target: '#turn:listening',
      always: checksValues ? [toCheck] : [],
      on: { [internal.settled]: [...endings('hasEnded'), lineAfterUpdate('#turn:settling')] },
    },
    answering: hasAgents ? withWork(turn) : turn,
    // The plan can end by an event from outside while a failed turn rests.
    onFailed: { [internal.settled]: endings('hasEndedMeanwhile') },
  });
  return { ...region, states: { ...region.states, closed: { id: 'turn:closed', type: 'final' } } };
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
    extracting: calling('extract', input('extract'), [
      { target: 'settling', actions: [action('takeExtraction')] },
    ]),
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
      ...calling('reply', input('reply'), [{ target: 'spoken', actions: [action('takeReply')] }]),
      // The line after an update is made again when another one follows.
      on: { [internal.settled]: [lineAfterUpdate('#turn:settling')] },
    },
    spoken: { on: { [internal.settled]: [...endings('hasEnded'), { target: '#turn:waiting' }] } },
  },
};

/** Adds a summary of a long conversation, after the reply. */
function withSummary({ states = {}, ...rest }: ChartNode, after: number): ChartNode {
  const next = { target: 'summarised', actions: [action('settle')] };
  const written = { ...next, actions: [action('takeSummary', { after }), ...next.actions] };
  const summarise = { target: 'summarising', guard: guard('isSummaryDue', { after }) };
  const toWaiting = [...endings('hasEnded'), { target: '#turn:waiting' }];
  return {
    ...rest,
    states: {
      ...states,
      spoken: { on: { [internal.settled]: toWaiting.toSpliced(-1, 0, summarise) } },
      summarising: {
        invoke: [summarising({ written: [written], failed: [next] }, { after })],
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
        ...calling('validate', input('validate'), [
          { target: 'settling', actions: [action('takeCheck')] },
        ]),
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
