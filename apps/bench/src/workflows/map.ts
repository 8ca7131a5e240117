import type { Json } from 'dramaturg';

/** A Map with a trivial task. */
export const mapOfTask = {
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      ItemsPath: '$.items',
      ItemProcessor: {
        StartAt: 'Double',
        States: {
          Double: {
            Type: 'Task',
            Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:Double',
            End: true,
          },
        },
      },
      End: true,
    },
  },
};

export function numbersTo(count: number): { readonly items: readonly number[] } {
  return { items: Array.from({ length: count }, (_, index) => index) };
}

export function double(input: Json): Json {
  return (input as number) * 2;
}
