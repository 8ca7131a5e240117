import { join } from 'node:path';
import { quantile } from '../host/stores.ts';
import { type Benchmark, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';

const inHost = (module: string) => join(import.meta.dirname, '../host', module);

const pairsOfSample = 20;

/** The cost of the events that traces are made from, without a tracer. Two processes take turns. */
export const untracedTurn: readonly Benchmark[] = readingsOf(
  async () => {
    const module = inHost('turn-processor-time.ts');
    const without = ['--import', inHost('without-call-events.ts')];
    const contenders = [
      await OwnProcess.prepared(module, null),
      await OwnProcess.prepared(module, null, without),
    ] as const;
    const linesOf = async (contender: OwnProcess) => (await contender.sample())['lines']!;
    const [lines, fewer] = [await linesOf(contenders[0]), await linesOf(contenders[1])];
    if (lines !== fewer + 3)
      throw new Error(`A turn has three events of calls and turns, not ${lines} - ${fewer}.`);
    return async () => {
      const times: [number[], number[]] = [[], []];
      for (let pair = 0; pair < pairsOfSample; pair += 1)
        for (const which of pair % 2 === 0 ? [0, 1] : [1, 0])
          times[which]!.push((await contenders[which]!.sample())['time']!);
      return { over: quantile(times[0], 0.5) / quantile(times[1], 0.5) };
    };
  },
  {
    over: {
      name: 'processor time of a turn without traces over one without the events of calls',
      unit: '×',
      atMost: 1.1,
    },
  },
);
