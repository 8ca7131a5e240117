import { join } from 'node:path';
import { storeFolder, storeKinds } from '../host/stores.ts';
import { type Benchmark, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';

const entries = {
  maps: 'Maps in a Map in a Map, with 40 items each',
  largeMaps: 'Maps in a Map in a Map, with 80 items each',
  paths: 'a state with 20,000 paths `$..*`',
  plan: 'a plan of 780 kB',
  states: 'a plan of 2,600 states',
  passes: 'a workflow of 5,000 Pass states',
  mostPasses: 'a workflow of 10,000 Pass states',
  restart: 'plans of 780 kB and 2,600 states after a restart',
  evaluations: 'a step with 500 long expressions',
  keys: 'an input with 80,000 keys',
  mostKeys: 'an input with 19,900 keys',
  unknownKeys: 'a body with 19,900 unknown fields',
  fork: 'a fork at step 30,000',
  inbox: 'an inbox of 10,000 messages that is resumed',
};

/** The longest time that input from outside blocks the event loop of a service. */
export const longestHolds: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(
    async () => {
      const settings = { kind, folder: storeFolder(`holds-${kind}`) };
      const measurement = await OwnProcess.prepared(
        join(import.meta.dirname, '../host/holds.ts'),
        settings,
      );
      return () => measurement.sample();
    },
    Object.fromEntries(
      Object.entries(entries).map(([name, what]) => [
        name,
        { name: `longest hold on ${kind}: ${what}`, unit: 'ms', atMost: 50, rounds: 1 },
      ]),
    ),
  ),
);
