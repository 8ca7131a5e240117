import type { Behaviour, Chart, EventObject } from '@dramaturg/compiler';

/**
 * Two small charts that do what a host has to carry, and nothing else: a conversation that answers each message, and a job
 * that works, waits, asks a person and works again. They belong to no format, so that the contract knows of none.
 */

interface ChatContext {
  readonly conversation: string;
  readonly turn: number;
  readonly message: string | null;
  /** Messages that came while another was being answered. */
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
    ends: ({ event }) =>
      ((outputOf(event)['toolCalls'] ?? []) as { name: string }[]).some(
        ({ name }) => name === 'end',
      ),
    hasMore: ({ context }: { context: ChatContext }) => context.inbox.length > 0,
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
    fail: ({ context, event }) => ({
      context: { turn: context.turn + 1 },
      emit: [
        { type: 'turn.failed', port: 'reply', code: 'port/failed', message: messageOf(event) },
      ],
    }),
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

const chat: Chart = {
  chart: 1,
  format: 'rehearsal',
  id: 'chat',
  context: { type: 'chat' },
  output: { type: 'chat' },
  initial: 'answering',
  states: {
    answering: {
      invoke: [
        {
          id: 'reply',
          src: 'reply',
          input: { type: 'reply' },
          onDone: [
            { guard: { type: 'ends' }, target: 'over', actions: [{ type: 'say' }] },
            { target: 'waiting', actions: [{ type: 'say' }] },
          ],
          onError: [{ target: 'waiting', actions: [{ type: 'fail' }] }],
        },
      ],
      on: { 'message.received': [{ actions: [{ type: 'hold' }] }] },
    },
    waiting: {
      tags: ['waiting'],
      always: [{ guard: { type: 'hasMore' }, target: 'answering', actions: [{ type: 'next' }] }],
      on: { 'message.received': [{ target: 'answering', actions: [{ type: 'hear' }] }] },
    },
    over: { type: 'final' },
  },
};

const job: Chart = {
  chart: 1,
  format: 'rehearsal',
  id: 'job',
  context: { type: 'job' },
  output: { type: 'job' },
  initial: 'first',
  states: {
    first: call('runAgent', 'agent', 'waiting', 'first'),
    waiting: call('timer', 'wait', 'asking'),
    asking: call('requestDecision', 'ask', 'second'),
    second: call('runAgent', 'agent', 'over', 'second'),
    over: { type: 'final' },
  },
};

function call(src: string, input: string, target: string, name?: string) {
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

export const rehearsalCharts = { chat, job };
