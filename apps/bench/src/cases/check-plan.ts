import { check } from 'dramaturg';
import { type Benchmark, timeOf } from '../measure.ts';
import { planWith } from '../plans.ts';

/** The work that an editor waits for at each key: read, shape, rules, lowering and the checks of the chart. */
export const checkPlan: Benchmark = {
  name: 'check of a 50-state plan',
  unit: 'ms',
  atMost: 5,
  prepare: async () => {
    const text = planWith(50);
    timeOf(200, () => check(text));
    return () => timeOf(20, () => check(text));
  },
};

/** The lower bound: parsing the same text with the platform's parser, which records no positions. */
export const parsePlan: Benchmark = {
  name: 'JSON.parse of the same text',
  unit: 'ms',
  prepare: async () => {
    const text = planWith(50);
    return () => timeOf(200, () => JSON.parse(text));
  },
};
