import type { Prepare } from '../own-process/protocol.ts';
import { Stage } from './stage.ts';
import { storeAt, type StoreSettings } from './stores.ts';
import { quantile, timed } from './times.ts';

const lateIds = ['ada', 'ben', 'cleo'];

/** Samples start after this turn. Each round takes 15 turns. */
const lateFrom = 1_890;

/**
 * Measures turns around the 2,000th over turns around the 10th, in alternating conversations. An earlier host without
 * flushes prepares the late conversations, to save time.
 */
export const prepare: Prepare<StoreSettings> = async (settings, onProgress) => {
  const before = await Stage.open(storeAt(settings, 'never'));
  for (const id of lateIds) await before.begin(id);
  for (let turn = 1; turn <= lateFrom; turn += 1) {
    if (turn % 100 === 0) onProgress(`turn ${turn} of ${lateFrom} on ${settings.kind}`);
    await Promise.all(lateIds.map((id) => before.turn(id, turn)));
  }
  await before.stop();
  const stage = await Stage.open(storeAt(settings, 'always'));
  let late = lateFrom;
  let begun = 0;
  return {
    sample: async () => {
      const [lates, earlies]: [number[], number[]] = [[], []];
      for (const lateId of lateIds) {
        begun += 1;
        const earlyId = `early-${begun}`;
        await stage.begin(earlyId);
        for (let turn = 1; turn <= 15; turn += 1) {
          const ofLate = await timed(() => stage.turn(lateId, late + turn));
          const ofEarly = await timed(() => stage.turn(earlyId, turn));
          // Counts turns 6 to 15: turn 10 is in the middle.
          if (turn <= 5) continue;
          lates.push(ofLate);
          earlies.push(ofEarly);
        }
      }
      late += 15;
      return { growth: quantile(lates, 0.5) / quantile(earlies, 0.5) };
    },
  };
};
