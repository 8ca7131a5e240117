import type { Benchmark } from './measure.ts';
import type { Readings } from './own-process/protocol.ts';

type Row = Omit<Benchmark, 'prepare'>;

/**
 * Creates benchmarks that share one measurement: it is prepared once, and sampled once a round.
 *
 * @param rows the benchmarks, by the name of their reading
 */
export function readingsOf(
  prepare: () => Promise<() => Promise<Readings>>,
  rows: Readonly<Record<string, Row>>,
): Benchmark[] {
  let prepared: ReturnType<typeof prepare> | undefined;
  const samples: Promise<Readings>[] = [];
  return Object.entries(rows).map(([name, row]) => ({
    ...row,
    prepare: async () => {
      const sample = await (prepared ??= prepare());
      let round = 0;
      return async () => {
        // The first benchmark of a round takes the sample.
        const readings = (samples[round] ??= sample());
        round += 1;
        return (await readings)[name]!;
      };
    },
  }));
}
