import type { Json } from 'dramaturg';

/** An order with six data states, three tasks and a Succeed. A run visits all of them. */
export const tenStates = {
  StartAt: 'Normalise',
  States: {
    Normalise: {
      Type: 'Pass',
      Parameters: {
        'id.$': '$.order.id',
        'items.$': '$.order.items',
        'customer.$': '$.customer.id',
        currency: 'EUR',
      },
      Next: 'LookUpCustomer',
    },
    LookUpCustomer: {
      Type: 'Task',
      Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:LookUpCustomer',
      Parameters: { 'id.$': '$.customer' },
      ResultSelector: { 'tier.$': '$.tier', 'name.$': '$.profile.name' },
      ResultPath: '$.customer',
      Retry: [{ ErrorEquals: ['Lambda.TooManyRequestsException'], MaxAttempts: 2 }],
      Next: 'IsRegular',
    },
    IsRegular: {
      Type: 'Choice',
      Choices: [
        {
          Or: [
            { Variable: '$.customer.tier', StringEquals: 'gold' },
            { Variable: '$.customer.tier', StringEquals: 'silver' },
          ],
          Next: 'Discount',
        },
      ],
      Default: 'Price',
    },
    Discount: { Type: 'Pass', Result: { percent: 10 }, ResultPath: '$.discount', Next: 'Price' },
    Price: {
      Type: 'Task',
      Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:Price',
      Parameters: { 'items.$': '$.items', 'percent.$': '$.discount.percent' },
      ResultPath: '$.price',
      Next: 'IsLarge',
    },
    IsLarge: {
      Type: 'Choice',
      Choices: [
        {
          And: [
            { Variable: '$.price.total', NumericGreaterThan: 50 },
            { Not: { Variable: '$.currency', StringEquals: 'USD' } },
          ],
          Next: 'Note',
        },
      ],
      Default: 'Reserve',
    },
    Note: {
      Type: 'Pass',
      Parameters: { 'text.$': "States.Format('Large order {} of {}', $.id, $.customer.name)" },
      ResultPath: '$.note',
      Next: 'Reserve',
    },
    Reserve: {
      Type: 'Task',
      Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:Reserve',
      ResultPath: '$.reservation',
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.problem', Next: 'Summarise' }],
      Next: 'Summarise',
    },
    Summarise: {
      Type: 'Pass',
      Parameters: {
        'id.$': '$.id',
        'total.$': '$.price.total',
        'note.$': '$.note.text',
        'reservation.$': '$.reservation.code',
        'lines.$': 'States.ArrayLength($.items)',
      },
      Next: 'Done',
    },
    Done: { Type: 'Succeed' },
  },
};

export const order = {
  order: {
    id: 'A-1042',
    items: [
      { sku: 'lamp', price: 40, count: 2 },
      { sku: 'bulb', price: 5, count: 4 },
    ],
  },
  customer: { id: 'c-17' },
};

interface Line {
  readonly price: number;
  readonly count: number;
}

/** The functions behind the tasks. They are synchronous and local. */
export const functions = {
  LookUpCustomer: ({ id }: { readonly id: string }) => ({
    id,
    tier: 'gold',
    profile: { name: 'Ada', since: 2019 },
  }),
  Price: ({ items, percent }: { readonly items: readonly Line[]; readonly percent: number }) => {
    const sum = items.reduce((total, { price, count }) => total + price * count, 0);
    return { sum, total: (sum * (100 - percent)) / 100 };
  },
  Reserve: ({ id }: { readonly id: string }) => ({ code: `R-${id}` }),
};

/** Runs the function whose name a resource ends with. */
export function callFunction(resource: string, input: Json): Json {
  const name = resource.slice(resource.lastIndexOf(':') + 1);
  return (functions as unknown as Record<string, (input: Json) => Json>)[name]!(input);
}
