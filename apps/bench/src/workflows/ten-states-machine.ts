import { assign, fromPromise, setup } from 'xstate';
import { functions, type order } from './ten-states.ts';

type Reply<Name extends keyof typeof functions> = ReturnType<(typeof functions)[Name]>;

interface Context {
  readonly input: typeof order;
  readonly id: string;
  readonly items: typeof order.order.items;
  readonly currency: string;
  readonly customer: { readonly tier: string; readonly name: string };
  readonly discount: { readonly percent: number };
  readonly price: Reply<'Price'>;
  readonly note: { readonly text: string };
  readonly reservation: Reply<'Reserve'>;
  readonly summary: object;
}

/** The ten-state workflow as an XState developer would write it, with one XState state for each state. */
export const tenStatesMachine = setup({
  types: { context: {} as Context, input: {} as typeof order },
  actors: {
    lookUpCustomer: fromPromise(async ({ input }: { input: { id: string } }) =>
      functions.LookUpCustomer(input),
    ),
    price: fromPromise(async ({ input }: { input: { items: Context['items']; percent: number } }) =>
      functions.Price(input),
    ),
    reserve: fromPromise(async ({ input }: { input: { id: string } }) => functions.Reserve(input)),
  },
}).createMachine({
  context: ({ input }) => ({ input }) as Context,
  initial: 'normalise',
  states: {
    normalise: {
      always: {
        target: 'lookUpCustomer',
        actions: assign(({ context: { input } }) => ({
          id: input.order.id,
          items: input.order.items,
          currency: 'EUR',
        })),
      },
    },
    lookUpCustomer: {
      invoke: {
        src: 'lookUpCustomer',
        input: ({ context: { input } }) => ({ id: input.customer.id }),
        onDone: {
          target: 'isRegular',
          actions: assign({
            customer: ({ event: { output } }) => ({ tier: output.tier, name: output.profile.name }),
          }),
        },
      },
    },
    isRegular: {
      always: [
        {
          guard: ({ context: { customer } }) =>
            customer.tier === 'gold' || customer.tier === 'silver',
          target: 'discount',
        },
        { target: 'price' },
      ],
    },
    discount: {
      always: { target: 'price', actions: assign({ discount: () => ({ percent: 10 }) }) },
    },
    price: {
      invoke: {
        src: 'price',
        input: ({ context }) => ({ items: context.items, percent: context.discount.percent }),
        onDone: {
          target: 'isLarge',
          actions: assign({ price: ({ event: { output } }) => output }),
        },
      },
    },
    isLarge: {
      always: [
        {
          guard: ({ context: { price, currency } }) => price.total > 50 && currency !== 'USD',
          target: 'note',
        },
        { target: 'reserve' },
      ],
    },
    note: {
      always: {
        target: 'reserve',
        actions: assign({
          note: ({ context: { id, customer } }) => ({
            text: `Large order ${id} of ${customer.name}`,
          }),
        }),
      },
    },
    reserve: {
      invoke: {
        src: 'reserve',
        input: ({ context: { id } }) => ({ id }),
        onDone: {
          target: 'summarise',
          actions: assign({ reservation: ({ event: { output } }) => output }),
        },
        onError: 'summarise',
      },
    },
    summarise: {
      always: {
        target: 'done',
        actions: assign({
          summary: ({ context: { id, price, note, reservation, items } }) => ({
            id,
            total: price.total,
            note: note.text,
            reservation: reservation.code,
            lines: items.length,
          }),
        }),
      },
    },
    done: { type: 'final' },
  },
  output: ({ context: { summary } }) => summary,
});
