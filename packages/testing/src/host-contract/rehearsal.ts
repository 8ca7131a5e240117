import type { Chart, EventObject } from '@dramaturg/compiler';
import type { ChartTransition } from '@dramaturg/compiler/chart';
import { type Behaviour, longestInbox, longestMessage } from '@dramaturg/compiler/machine';

/**
 * Small charts with only the features that a host needs: a conversation that answers each message, one that judges each message
 * before it answers, one that may let the contact begin (`opening: 'person'`), a job that works, waits, asks a person and works again, and many items that do nothing. They belong to no
 * format, so that the contract does not depend on one.
 */

interface ChatContext {
  readonly conversation: string;
  readonly opening: string | undefined;
  readonly turn: number;
  readonly message: string | null;
  /** Messages that came while another one was being answered. */
  readonly inbox: readonly string[];
}

interface JobContext {
  readonly id: string;
  readonly wait: number;
  readonly result: unknown;
  readonly error: string | null;
}

const fieldsOf = (input: unknown) => (input ?? {}) as Record<string, string>;
const outputOf = (event: EventObject) => (event['output'] ?? {}) as Record<string, never>;
const messageOf = ({ error }: EventObject) =>
  error instanceof Error ? error.message : String(error);

export const rehearsalBehaviour: Behaviour = {
  contexts: {
    chat: ({ input }): ChatContext => ({
      conversation: String(fieldsOf(input)['conversation']),
      opening: fieldsOf(input)['opening'],
      turn: 0,
      message: null,
      inbox: [],
    }),
    job: ({ input }): JobContext => ({
      id: String(fieldsOf(input)['id']),
      wait: Number(fieldsOf(input)['wait'] ?? 0),
      result: null,
      error: null,
    }),
  },
  guards: {
    contactBegins: ({ context }: { context: ChatContext }) => context.opening === 'person',
    ends: ({ event }) =>
      ((outputOf(event)['toolCalls'] ?? []) as { name: string }[]).some(
        ({ name }) => name === 'end',
      ),
    hasMore: ({ context }: { context: ChatContext }) => context.inbox.length > 0,
    isTooMuch: ({ context, event }: { context: ChatContext; event: EventObject }) =>
      String(event['text']).length > longestMessage || context.inbox.length >= longestInbox,
  },
  actions: {
    say: ({ context, event }: { context: ChatContext; event: EventObject }) => ({
      context: { turn: context.turn + 1, message: null },
      emit: [
        {
          type: 'message.sent',
          text: String(outputOf(event)['text']),
          key: `${context.conversation}/${context.turn}/reply`,
          state: 'chat',
        },
      ],
    }),
    hear: ({ event }) => ({ context: { message: String(event.text) } }),
    hold: ({ context, event }: { context: ChatContext; event: EventObject }) => ({
      context: { inbox: [...context.inbox, String(event['text'])] },
    }),
    next: ({ context }: { context: ChatContext }) => ({
      context: { message: context.inbox[0]!, inbox: context.inbox.slice(1) },
    }),
    fail: ({ event }) => ({
      emit: [
        { type: 'turn.failed', port: 'reply', code: 'port/failed', message: messageOf(event) },
      ],
    }),
    refuse: () => ({ emit: [{ type: 'message.refused', because: 'It is too much.' }] }),
    keep: ({ event }) => ({ context: { result: outputOf(event) } }),
    break: ({ event }) => ({ context: { error: messageOf(event) } }),
  },
  inputs: {
    reply: ({ context }: { context: ChatContext }) => ({
      key: `${context.conversation}/${context.turn}/reply`,
      transcript: { conversation: context.conversation, length: context.turn },
      ...(context.message === null ? {} : { message: context.message }),
      prompt: [],
      asks: [],
      directions: [],
      tools: [],
    }),
    judge: ({ context }: { context: ChatContext }) => ({
      key: `${context.conversation}/${context.turn}/judge`,
      agent: 'judge',
      input: context.message,
    }),
    // Several steps start the items: each starts 1,024.
    items: () => ({
      items: Array.from({ length: 2_500 }, () => 0),
      concurrency: 0,
      tolerated: null,
    }),
    agent: ({ context }: { context: JobContext }, { name }: { name: string }) => ({
      key: `${context.id}/${name}`,
      agent: name,
      input: context.result as never,
    }),
    wait: ({ context, world }) => ({ key: `${context.id}/wait`, at: world.now() + context.wait }),
    ask: ({ context }) => ({
      key: `${context.id}/ask`,
      prompt: 'Go on?',
      options: [
        { id: 'yes', description: 'Go on.' },
        { id: 'no', description: 'Do not.' },
      ],
    }),
  },
  outputs: {
    chat: () => ({ outcome: 'completed', state: 'chat' }),
    job: ({ context: { error, result } }) =>
      error === null
        ? { status: 'succeeded', output: result }
        : { status: 'failed', error: 'broken', cause: error },
  },
};

const refuse = { guard: { type: 'isTooMuch' }, actions: [{ type: 'refuse' }] };

/** A state that makes a call while messages wait. A failed call is made again on a command of the host. */
function asking(src: string, input: string, onDone: readonly ChartTransition[], name: string) {
  const hear = [refuse, { actions: [{ type: 'hold' }] }];
  return {
    [name]: {
      invoke: [
        {
          id: name,
          src,
          input: { type: input },
          onDone: [...onDone],
          onError: [{ target: `${name} failed`, actions: [{ type: 'fail' }] }],
        },
      ],
      on: { 'message.received': hear },
    },
    [`${name} failed`]: {
      tags: ['waiting', 'resting', 'failed'],
      on: {
        'turn.retry': [{ target: name }],
        'message.received': [refuse, { target: name, actions: [{ type: 'hold' }] }],
      },
    },
  };
}

const say = [{ type: 'say' }];

/** @param first the first state for a message */
function conversation(id: string, first: string, more: Chart['states'] = {}): Chart {
  return {
    chart: 1,
    format: 'rehearsal',
    id,
    context: { type: 'chat' },
    output: { type: 'chat' },
    initial: 'answering',
    states: {
      ...more,
      ...asking(
        'reply',
        'reply',
        [
          { guard: { type: 'ends' }, target: 'over', actions: say },
          { target: 'waiting', actions: say },
        ],
        'answering',
      ),
      waiting: {
        tags: ['waiting', 'resting'],
        always: [{ guard: { type: 'hasMore' }, target: first, actions: [{ type: 'next' }] }],
        on: { 'message.received': [refuse, { target: first, actions: [{ type: 'hear' }] }] },
      },
      over: { type: 'final' },
    },
  };
}

const chat = conversation('chat', 'answering');

const desk: Chart = {
  ...chat,
  id: 'desk',
  initial: 'beginning',
  states: {
    beginning: {
      always: [{ guard: { type: 'contactBegins' }, target: 'waiting' }, { target: 'answering' }],
    },
    ...chat.states,
  },
};

const quiz = conversation(
  'quiz',
  'judging',
  asking('runAgent', 'judge', [{ target: 'answering' }], 'judging'),
);

const job: Chart = {
  chart: 1,
  format: 'rehearsal',
  id: 'job',
  context: { type: 'job' },
  output: { type: 'job' },
  initial: 'first',
  states: {
    first: callState('runAgent', 'agent', 'waiting', 'first'),
    waiting: callState('timer', 'wait', 'asking'),
    asking: callState('requestDecision', 'ask', 'second'),
    second: callState('runAgent', 'agent', 'over', 'second'),
    over: { type: 'final' },
  },
};

/** A state that makes a call, and keeps its result. */
export function callState(src: string, input: string, target: string, name?: string) {
  return {
    invoke: [
      {
        id: 'call',
        src,
        input: { type: input, ...(name === undefined ? {} : { params: { name } }) },
        onDone: [{ target, actions: [{ type: 'keep' }] }],
        onError: [{ target: 'over', actions: [{ type: 'break' }] }],
      },
    ],
  };
}

const item: Chart = { ...job, id: 'item', initial: 'over', states: { over: { type: 'final' } } };

const crowd: Chart = {
  ...job,
  id: 'crowd',
  initial: 'all',
  states: {
    all: {
      invoke: [
        {
          id: 'items',
          src: 'each',
          chart: item,
          input: { type: 'items' },
          onDone: [{ target: 'over', actions: [{ type: 'keep' }] }],
          onError: [],
        },
      ],
    },
    over: { type: 'final' },
  },
};

export const rehearsalCharts = { chat, desk, quiz, job, crowd };
