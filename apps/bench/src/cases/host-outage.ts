import { inHost, populated } from '../host/population.ts';
import { type Benchmark, readingsOf } from '../measure.ts';
import type { Readings } from '../own-process/protocol.ts';
import { sampleOnce } from '../own-process/own-process.ts';

const kind = 'sqlite';
const rounds = 1;

/** All conversations of a host wait for a channel that is down, or for a model that is silent. A healthy conversation continues. */
export function outages(count: number): Benchmark[] {
  return (['channel', 'model'] as const).flatMap((fault) => {
    const title = `${count} instances with a dead ${fault}`;
    return readingsOf(
      async () => {
        const settings = { kind, count, healthy: fault } as const;
        const calm = await populated({ name: `calm-${fault}`, kind, count });
        const dead = await populated({ name: `dead-${fault}`, kind, count, waitsFor: fault });
        return async () => {
          const sample = (folder: string, waitsFor: string) =>
            sampleOnce(inHost('outage.ts'), { ...settings, folder, waitsFor });
          const without = await sample(calm, 'contact');
          const within = await sample(dead, fault);
          return { ...within, ...ratios(within, without) };
        };
      },
      {
        loop: { name: `${title}: p99 of the event loop's delay`, unit: 'ms', atMost: 50, rounds },
        loopRatio: {
          name: `${title}: p99 of the event loop's delay, over the same without the fault`,
          unit: '×',
          atMost: 2,
          rounds,
        },
        latencyRatio: {
          name: `${title}: latency of a healthy contact, over the same without the fault`,
          unit: '×',
          atMost: 2,
          rounds,
        },
        latency99Ratio: {
          name: `${title}: p99 of the latency of a healthy contact, over the same without the fault`,
          unit: '×',
          atMost: 2,
          rounds,
        },
        megabytesRatio: {
          name: `${title}: heap, over the same without the fault`,
          unit: '×',
          atMost: 2,
          rounds,
        },
        megabytes: { name: `${title}: heap`, unit: 'MB', rounds },
        latency: { name: `${title}: latency of a healthy contact`, unit: 'ms', rounds },
      },
    );
  });
}

function ratios(within: Readings, without: Readings): Readings {
  return Object.fromEntries(
    Object.entries(within).map(([name, value]) => [`${name}Ratio`, value / without[name]!]),
  );
}
