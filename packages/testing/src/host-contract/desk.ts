import type { Chart, EventObject } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';

/**
 * A conversation that opens, or lets the contact begin: `opening: 'person'`. It refuses texts of more than 100 characters, and
 * blank ones. It belongs to no format, so that the contract does not depend on one.
 */
interface DeskContext {
  readonly conversation: string;
  readonly opening: unknown;
  readonly turn: number;
  readonly inbox: readonly string[];
}

interface Scope {
  readonly context: DeskContext;
  readonly event: EventObject;
}

const longest = 100;

export const deskBehaviour: Behaviour = {
  contexts: {
    desk: ({ input }): DeskContext => {
      const { conversation, opening = 'agent' } = (input ?? {}) as Record<string, unknown>;
      return { conversation: String(conversation), opening, turn: 0, inbox: [] };
    },
  },
  guards: {
    contactBegins: ({ context }: Scope) => context.opening === 'person',
    isUnsound: ({ event }: Scope) => {
      const text = String(event['text']);
      return text.trim() === '' || text.length > longest;
    },
    hasMore: ({ context }: Scope) => context.inbox.length > 0,
  },
  actions: {
    hold: ({ context, event }: Scope) => ({
      context: { inbox: [...context.inbox, String(event['text'])] },
    }),
    refuse: () => ({ emit: [{ type: 'message.refused', because: `It is not 1 to ${longest}.` }] }),
    say: ({ context, event }: Scope) => ({
      context: { turn: context.turn + 1, inbox: context.inbox.slice(1) },
      emit: [
        {
          type: 'message.sent',
          text: String((event['output'] as { text?: unknown }).text),
          key: `${context.conversation}/${context.turn}/reply`,
          state: 'desk',
        },
      ],
    }),
    fail: () => ({
      emit: [{ type: 'turn.failed', port: 'reply', code: 'port/failed', message: 'It failed.' }],
    }),
  },
  inputs: {
    reply: ({ context: { conversation, turn, inbox } }: Scope) => ({
      key: `${conversation}/${turn}/reply`,
      transcript: { conversation, length: turn },
      ...(inbox[0] === undefined ? {} : { message: inbox[0] }),
      prompt: [],
      asks: [],
      directions: [],
      tools: [],
    }),
  },
  outputs: { desk: () => ({ outcome: 'completed', state: 'desk' }) },
};

const hear = [
  { guard: { type: 'isUnsound' }, actions: [{ type: 'refuse' }] },
  { actions: [{ type: 'hold' }] },
];

export const deskChart: Chart = {
  chart: 1,
  format: 'desk',
  id: 'desk',
  context: { type: 'desk' },
  output: { type: 'desk' },
  initial: 'beginning',
  states: {
    beginning: {
      always: [{ guard: { type: 'contactBegins' }, target: 'waiting' }, { target: 'answering' }],
    },
    answering: {
      invoke: [
        {
          id: 'reply',
          src: 'reply',
          input: { type: 'reply' },
          onDone: [{ target: 'waiting', actions: [{ type: 'say' }] }],
          onError: [{ target: 'waiting', actions: [{ type: 'fail' }] }],
        },
      ],
      on: { 'message.received': hear },
    },
    waiting: {
      tags: ['waiting'],
      always: [{ guard: { type: 'hasMore' }, target: 'answering' }],
      on: { 'message.received': hear },
    },
  },
};
