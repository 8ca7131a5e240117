import { assign, fromCallback, fromPromise, setup } from 'xstate-5';

const types: {
  readonly context: { readonly items: number; readonly paid: boolean };
  readonly events: { readonly type: 'add' | 'pay' | 'hold' | 'go on' };
} = { context: { items: 0, paid: false }, events: { type: 'add' } };

/** A machine as anybody writes it: regions, guards, history, a delay, and actors of every kind. */
export const order = setup({
  types,
  actors: {
    charge: fromPromise(async () => 'receipt-1'),
    bell: fromCallback(() => () => {}),
    parcel: setup({}).createMachine({
      id: 'parcel',
      initial: 'packed',
      states: { packed: { on: { ship: 'shipped' } }, shipped: { type: 'final' } },
    }),
  },
  guards: { 'has items': ({ context }) => context.items > 0 },
  delays: {},
}).createMachine({
  id: 'order',
  initial: 'open',
  context: { items: 0, paid: false },
  on: { hold: '.held' },
  states: {
    open: {
      type: 'parallel',
      states: {
        basket: {
          initial: 'empty',
          states: {
            empty: { on: { add: { target: 'filled', actions: assign({ items: 1 }) } } },
            filled: {
              on: { add: { actions: assign({ items: ({ context }) => context.items + 1 }) } },
            },
          },
        },
        till: {
          initial: 'idle',
          states: {
            idle: { on: { pay: { guard: 'has items', target: '#order.paying' } } },
          },
          invoke: { src: 'bell', id: 'bell' },
        },
        back: { type: 'history', history: 'deep' },
      },
    },
    held: { on: { 'go on': 'open.back' }, after: { 60_000: 'over' } },
    paying: {
      invoke: {
        src: 'charge',
        id: 'charge',
        onDone: { target: 'sending', actions: assign({ paid: true }) },
      },
    },
    sending: { invoke: { src: 'parcel', id: 'parcel', onDone: 'over' } },
    over: { type: 'final' },
  },
});
