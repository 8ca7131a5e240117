import { compile } from 'dramaturg';
import { type Benchmark, timeOf } from '../measure.ts';
import { fiftyStates } from '../workflows/fifty-states.ts';

/** All steps from the text to a machine that can run. */
export const compileAsl: Benchmark = {
  name: 'compile and check of a 50-state workflow',
  unit: 'ms',
  atMost: 5,
  prepare: async () => {
    const text = fiftyStates();
    const run = () => compile(text, { format: 'asl', options: { dialect: 'amazon' } });
    const { machine, diagnostics } = run();
    if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
    timeOf(200, run);
    return () => timeOf(20, run);
  },
};
