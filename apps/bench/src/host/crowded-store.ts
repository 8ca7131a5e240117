import { type Benchmark, type Prepare, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';
import { idOf, populated } from './population.ts';
import { stopping } from './stopping.ts';
import { Stage } from './stage.ts';
import { quantile, storeAt, storeKinds, type StoreSettings, timed } from './stores.ts';

export interface CrowdedSettings extends StoreSettings {
  /** The folder of the store with few instances. `folder` has the store with many. */
  readonly few: string;
}

const turnsOfSample = 30;

/** Measures turns on a store with many instances over turns on one with few. The two alternate. */
export const prepare: Prepare<CrowdedSettings> = async ({ few, ...settings }) => {
  const large = await Stage.open(storeAt(settings, 'always'));
  const small = await Stage.open(storeAt({ ...settings, folder: few }, 'always'));
  let turn = 0;
  /** Half of the turns wake an instance that has been idle; the others continue with it. */
  const next = async (stage: Stage) => timed(() => stage.turn(idOf(1 + (turn >> 1)), turn));
  const both = async () => {
    turn += 1;
    return { ofLarge: await next(large), ofSmall: await next(small) };
  };
  for (let count = 0; count < 500; count += 1) await both();
  return {
    sample: async () => {
      const [larges, smalls]: [number[], number[]] = [[], []];
      for (let count = 0; count < turnsOfSample; count += 1) {
        const { ofLarge, ofSmall } = await both();
        larges.push(ofLarge);
        smalls.push(ofSmall);
      }
      return { growth: quantile(larges, 0.5) / quantile(smalls, 0.5) };
    },
    close: async () => {
      await large.stop();
      await small.stop();
    },
  };
};

/** @param many the number of stored instances that is compared with 1,000 */
export const crowdedStore = (many: number): readonly Benchmark[] =>
  storeKinds.flatMap((kind) => [
    ...readingsOf(
      async () => {
        const few = await populated({ name: 'few', kind, count: 1_000 });
        const folder = await populated({ name: 'many', kind, count: many });
        const settings = { kind, folder, few };
        const measurement = await OwnProcess.prepared(import.meta.filename, settings);
        return () => measurement.sample();
      },
      { growth: [`turn with ${many} stored instances over one with 1000 on ${kind}`, '×', 1.15] },
    ),
    ...stopping(many, kind),
  ]);
