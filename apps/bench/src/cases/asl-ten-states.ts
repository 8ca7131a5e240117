import { createActor, toPromise } from 'xstate';
import { type Benchmark, type Contender, contest, timeOfEach } from '../measure.ts';
import { awsLocal, ours } from '../workflows/contenders.ts';
import { callFunction, order, tenStates } from '../workflows/ten-states.ts';
import { tenStatesMachine } from '../workflows/ten-states-machine.ts';

const often = { warmUp: 500, runs: 200 };

const compiled = () => ours(tenStates, order, callFunction);

const handWritten: Contender = () =>
  toPromise(createActor(tenStatesMachine, { input: order }).start());

export const tenStatesOverAwsLocal: Benchmark = {
  name: 'ten-state workflow over aws-local-stepfunctions',
  unit: '×',
  atMost: 0.35,
  prepare: () => contest(compiled(), awsLocal(tenStates, order, callFunction), often),
};

export const tenStatesOverHandWritten: Benchmark = {
  name: 'ten-state workflow over a hand-written machine',
  unit: '×',
  atMost: 0.75,
  prepare: () => contest(compiled(), handWritten, often),
};

export const tenStatesTime: Benchmark = {
  name: 'ten-state workflow, a run',
  unit: 'µs',
  prepare: async () => {
    const run = compiled();
    await timeOfEach(run, often.warmUp);
    return async () => 1000 * (await timeOfEach(run, often.runs));
  },
};
