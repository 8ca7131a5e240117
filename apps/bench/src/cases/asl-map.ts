import { type Benchmark, contest, timeOfEach } from '../measure.ts';
import { awsLocal, double, mapOfTask, numbersTo, ours } from '../workflows/contenders.ts';

const many = 10_000;
const few = 1000;

const over = (count: number) => ours(mapOfTask, numbersTo(count), (_, input) => double(input));

export const mapOverAwsLocal: Benchmark = {
  name: `Map of ${many} tasks over aws-local-stepfunctions`,
  unit: '×',
  atMost: 0.5,
  prepare: () => {
    const theirs = awsLocal(mapOfTask, numbersTo(many), (_, input) => double(input));
    return contest(over(many), theirs, { warmUp: 5, runs: 1 });
  },
};

/** The time per item with many items over that with few: the cost of a Map must grow linearly with its items. */
export const mapGrowth: Benchmark = {
  name: `an item of ${many} over an item of ${few} in a Map`,
  unit: '×',
  atMost: 1.2,
  prepare: async () => {
    const [large, small] = [over(many), over(few)];
    await timeOfEach(small, 50);
    await timeOfEach(large, 5);
    return async () => {
      const itemOfFew = (await timeOfEach(small, many / few)) / few;
      return (await timeOfEach(large, 1)) / many / itemOfFew;
    };
  },
};

export const mapTime: Benchmark = {
  name: `Map of ${many} tasks, an item`,
  unit: 'µs',
  prepare: async () => {
    const run = over(many);
    await timeOfEach(run, 5);
    return async () => (1000 * (await timeOfEach(run, 1))) / many;
  },
};
