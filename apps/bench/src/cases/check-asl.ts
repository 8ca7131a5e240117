import { compile } from 'dramaturg';
import { type Benchmark, timeOf } from '../measure.ts';
import { tenStates } from '../workflows/ten-states.ts';

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

/** A workflow of fifty states as text: the ten-state workflow five times in a row. About 1 KB a state. */
export function fiftyStates(): string {
  const orders = ['first', 'second', 'third', 'fourth', 'fifth'];
  const named = (name: string, order: string) => `${name} of the ${order} order`;
  const states = orders.flatMap((order, index) =>
    Object.entries(tenStates.States).map(([name, state]) => {
      const next = orders[index + 1];
      const text = JSON.stringify(state).replaceAll(
        /"(Next|Default)":"(\w+)"/g,
        (_, field: string, target: string) => `"${field}":"${named(target, order)}"`,
      );
      const inner = JSON.parse(text) as object;
      const last = next === undefined ? inner : { Type: 'Pass', Next: named('Normalise', next) };
      return [named(name, order), name === 'Done' ? last : inner] as const;
    }),
  );
  const workflow = { StartAt: named('Normalise', 'first'), States: Object.fromEntries(states) };
  return JSON.stringify(workflow, undefined, 2);
}
