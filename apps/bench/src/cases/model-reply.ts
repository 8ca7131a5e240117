import { join } from 'node:path';
import { type Benchmark, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';

const rounds = 9;

const sampled = async () => {
  const module = join(import.meta.dirname, '../models/reply-cost.ts');
  const measurement = await OwnProcess.prepared(module, null);
  return () => measurement.sample();
};

/** The overhead of our ports over a call of LangChain, with a model that takes 50 ms. */
export const modelReply: readonly Benchmark[] = readingsOf(sampled, {
  over: {
    name: 'reply of a model over the bare LangChain call, at 50 ms',
    unit: '×',
    atMost: 1.05,
    rounds,
  },
  processor: {
    name: 'reply of a model, processor time beside the bare LangChain call',
    unit: 'ms',
    atMost: 1,
    rounds,
  },
  bare: { name: 'bare LangChain call at 50 ms', unit: 'ms', rounds },
  bareProcessor: { name: 'bare LangChain call, processor time', unit: 'ms', rounds },
});
