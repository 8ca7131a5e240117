import type { Prepare } from '../own-process/protocol.ts';
import { Stage } from './stage.ts';
import { storeAt, type StoreSettings } from './stores.ts';
import { quantile, timed } from './times.ts';

const lateIds = ['ada', 'ben', 'cleo'];

/** Sampled from here on, 15 turns a round. */
const lateFrom = 1_890;

/**
 * Turns around the 2,000th over those around the 10th, in conversations that take turns with each other. The late ones
 * come from a host before, which flushed nothing, to be here sooner.
 */
export const prepare: Prepare<StoreSettings> = async (settings, tell) => {
  const before = await Stage.open(storeAt(settings, 'never'));
  for (const id of lateIds) await before.begin(id);
  for (let turn = 1; turn <= lateFrom; turn += 1) {
    if (turn % 100 === 0) tell(`turn ${turn} of ${lateFrom} on ${settings.kind}`);
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
          // Turns 6 to 15: the 10th is their middle.
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
