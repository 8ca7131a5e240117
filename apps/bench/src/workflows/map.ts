import type { Json, JsonObject } from 'dramaturg';

function mapOf(state: JsonObject, more: JsonObject = {}) {
  return {
    StartAt: 'Each',
    States: {
      Each: {
        Type: 'Map',
        ItemsPath: '$.items',
        ItemProcessor: { StartAt: 'Do', States: { Do: { ...state, End: true } } },
        ...more,
        End: true,
      },
    },
  };
}

const doubling = {
  Type: 'Task',
  Resource: 'arn:aws:lambda:eu-west-1:123456789012:function:Double',
};

/** A Map with a trivial task. */
export const mapOfTask = mapOf(doubling);

/** `mapOfTask` in the agent dialect, which allows large data. */
export const largeMapOfTask = mapOf(doubling, { MaxConcurrency: 40 });

/** A Map without calls. */
export const mapOfPass = mapOf({ Type: 'Pass' });

export function numbersTo(count: number): { readonly items: readonly number[] } {
  return { items: Array.from({ length: count }, (_, index) => index) };
}

export function double(input: Json): Json {
  return (input as number) * 2;
}
