import { problem } from '@dramaturg/compiler/format';
import { quotedList } from '@dramaturg/compiler/text';

export const noProgress = problem(
  'asl/no-progress',
  'warning',
  (states: readonly string[], example: string) => ({
    message: `Data can go round in ${quotedList(states)} without an end: no state of this loop changes them or waits for an answer, so every round decides the same.`,
    hint: `For example, the input ${example.slice(0, 200)} does. Change in the loop what is compared, or lead out of it.`,
  }),
);
