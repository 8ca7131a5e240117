import { contest, timeOfEach } from '../contest.ts';
import type { Benchmark } from '../measure.ts';
import { bareRun } from '../tests/bare-run.ts';
import { testRun } from '../tests/test-run.ts';
import { testedDefinitions } from '../tests/tested-definitions.ts';

const often = { warmUp: 100, runs: 20 };
const rounds = 5;

/** Tests a second of each format, and how often its bare machine runs through the same events in that time. */
export const testCost: readonly Benchmark[] = testedDefinitions.flatMap((tested) => {
  const name = `${tested.format} tests`;
  const ours = () => testRun(tested);
  return [
    {
      name: `${name}, in one thread`,
      unit: 'a second',
      rounds,
      prepare: async () => {
        await timeOfEach(ours, often.warmUp);
        return async () => 1000 / (await timeOfEach(ours, often.runs));
      },
    },
    {
      name: `${name} over the bare machine`,
      unit: '×',
      rounds,
      prepare: () => contest(ours, () => bareRun(tested), often),
    },
  ];
});
