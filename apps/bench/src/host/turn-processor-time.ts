import { join } from 'node:path';
import { memoryStore } from '@dramaturg/host';
import { type Prepare, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';
import { Stage } from './stage.ts';
import { quantile } from './stores.ts';

const turnsOfSample = 60;
/** The number of turns after which a new conversation begins, because a record in memory grows. */
const turnsOfConversation = 240;

/** Measures the processor time of a turn on the store in memory, in microseconds, and counts the lines of its journal. */
export const prepare: Prepare<null> = async () => {
  const stage = await Stage.open(memoryStore());
  let turn = 0;
  const next = async () => {
    const id = `ada-${Math.floor(turn / turnsOfConversation)}`;
    if (turn % turnsOfConversation === 0) await stage.begin(id);
    turn += 1;
    await stage.turn(id, turn);
  };
  const linesOf = async () => (await stage.host.journal('ada-0', { from: 0, limit: 1000 })).length;
  await next();
  const before = await linesOf();
  await next();
  const lines = (await linesOf()) - before;
  for (let count = 0; count < 2_000; count += 1) await next();
  return {
    sample: async () => {
      const begun = process.cpuUsage();
      for (let count = 0; count < turnsOfSample; count += 1) await next();
      const { user, system } = process.cpuUsage(begun);
      return { time: (user + system) / turnsOfSample, lines };
    },
    close: () => stage.stop(),
  };
};

const pairsOfSample = 20;

/** The cost of the events that traces are made from, without a tracer. Two processes take turns. */
export const untracedTurn = readingsOf(
  async () => {
    const without = ['--import', join(import.meta.dirname, 'without-call-events.ts')];
    const contenders = [
      await OwnProcess.prepared(import.meta.filename, null),
      await OwnProcess.prepared(import.meta.filename, null, without),
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
    over: [
      'processor time of a turn without traces over one without the events of calls',
      '×',
      1.1,
    ],
  },
);
