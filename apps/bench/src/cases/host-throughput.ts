import { inHost, populated } from '../host/population.ts';
import { storeFolder, storeKinds } from '../host/stores.ts';
import { type Benchmark, readingsOf } from '../measure.ts';
import {
  deployedNote,
  deployedOptions,
  OwnProcess,
  sampleOnce,
} from '../own-process/own-process.ts';

const rounds = 7;

/** Turns of several contacts at the same time, each stored before any of its effects leave. */
export const throughput: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(
    async () => {
      const settings = { kind, folder: storeFolder(`throughput-${kind}`) };
      const measurement = await OwnProcess.prepared(
        inHost('throughput.ts'),
        settings,
        deployedOptions,
      );
      return () => measurement.sample();
    },
    {
      overFloor100: {
        name: `turn of one of 100 contacts on ${kind} over appending and flushing its writes alone`,
        unit: '×',
        atMost: 2,
        rounds,
      },
      overFloor10: {
        name: `turn of one of 10 contacts on ${kind} over appending and flushing its writes alone`,
        unit: '×',
        atMost: 2,
        rounds,
      },
      spread100: {
        name: `acknowledgement for one of 100 contacts on ${kind}, 99th percentile over median`,
        unit: '×',
        atMost: 2,
        rounds,
      },
      burst100: {
        name: `acknowledgement for the last of 100 contacts on ${kind} that write at the same moment`,
        unit: 'ms',
        rounds,
      },
      ...Object.fromEntries(
        [1, 10, 100].flatMap((contacts) => [
          [
            `rate${contacts}`,
            {
              name: `turns of ${contacts} contacts on ${kind}`,
              unit: '/s',
              rounds,
              note: deployedNote,
            },
          ],
          [
            `median${contacts}`,
            {
              name: `acknowledgement for one of ${contacts} contacts on ${kind}`,
              unit: 'ms',
              rounds,
            },
          ],
          [
            `p99Of${contacts}`,
            {
              name: `acknowledgement for one of ${contacts} contacts on ${kind}, 99th percentile`,
              unit: 'ms',
              rounds,
            },
          ],
        ]),
      ),
    },
  ),
);

/** @param many the number of stored instances that is compared with 1,000 */
export const crowdedStore = (many: number): readonly Benchmark[] =>
  storeKinds.flatMap((kind) => [
    ...readingsOf(
      async () => {
        const few = await populated({ name: 'few', kind, count: 1_000 });
        const folder = await populated({ name: 'many', kind, count: many });
        const measurement = await OwnProcess.prepared(inHost('crowded-store.ts'), {
          kind,
          folder,
          few,
        });
        return () => measurement.sample();
      },
      {
        growth: {
          name: `turn with ${many} stored instances over one with 1000 on ${kind}`,
          unit: '×',
          atMost: 1.15,
        },
      },
    ),
    ...readingsOf(
      async () => {
        const folder = await populated({ name: 'stopped', kind, count: many });
        return () => sampleOnce(inHost('stopping.ts'), { kind, folder });
      },
      {
        start: { name: `starting on ${kind} with ${many} instances`, unit: 's', rounds: 3 },
        stop: {
          name: `stopping on ${kind} with ${many} instances`,
          unit: 's',
          atMost: 2,
          rounds: 3,
        },
      },
    ),
  ]);
