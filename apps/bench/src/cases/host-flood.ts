import { join } from 'node:path';
import { storeFolder, storeKinds } from '../host/stores.ts';
import { type Benchmark, readingsOf } from '../measure.ts';
import { OwnProcess } from '../own-process/own-process.ts';

const rounds = 5;

/** One contact sends 10,000 messages at once, and ten others continue with their turns. */
export const flood: readonly Benchmark[] = storeKinds.flatMap((kind) =>
  readingsOf(
    async () => {
      const settings = { kind, folder: storeFolder(`flood-${kind}`) };
      const module = join(import.meta.dirname, '../host/flood.ts');
      const measurement = await OwnProcess.prepared(module, settings);
      return () => measurement.sample();
    },
    {
      growth: {
        name: `flood on ${kind}: a message when 10,000 wait over one when 10 wait`,
        unit: '×',
        atMost: 1.25,
        rounds,
      },
      latency: {
        name: `flood on ${kind}: p99 of a turn of another contact, over the same without the flood`,
        unit: '×',
        atMost: 2,
        rounds,
      },
      loop: {
        name: `flood on ${kind}: p99 of the event loop's delay, over the same without the flood`,
        unit: '×',
        atMost: 2,
        rounds,
      },
      message: { name: `flood on ${kind}: a message when 10 wait`, unit: 'ms', rounds },
      flood: { name: `flood on ${kind}: a message of 10,000 at once`, unit: 'ms', rounds },
    },
  ),
);
