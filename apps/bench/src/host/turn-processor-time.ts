import { memoryStore } from '@dramaturg/host';
import type { Prepare } from '../own-process/protocol.ts';
import { Stage } from './stage.ts';

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
