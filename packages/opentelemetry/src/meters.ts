import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import type { InstanceSummary } from '@dramaturg/host';
import { type InstrumentName, instruments, type Measurement } from './measurement.ts';
import type { TracedHost } from './traced-host.ts';

type ListFilter = Parameters<TracedHost['list']>[0];

/** A gauge counts at most as many instances. */
const countMax = 10_000;
const pageSize = 1000;

/** The instruments of the metrics. The gauges read the store when the program's reader collects them. */
export class Meters {
  readonly #record = new Map<InstrumentName, Counter | Histogram>();
  readonly #removeGauges: () => void;

  /** @param onError receives why a gauge could not be read */
  constructor(meter: Meter, host: TracedHost, onError: (error: Error) => void) {
    for (const [name, { unit, description, ...rest }] of Object.entries(instruments)) {
      const options = { unit, description };
      this.#record.set(
        name as InstrumentName,
        'buckets' in rest
          ? meter.createHistogram(name, {
              ...options,
              advice: { explicitBucketBoundaries: [...rest.buckets] },
            })
          : meter.createCounter(name, options),
      );
    }
    const removers = gauges.map(({ name, description, unit, read }) => {
      const gauge = meter.createObservableGauge(name, { description, unit });
      const observe = async (result: { observe: (value: number) => void }) => {
        try {
          result.observe(await read(host));
        } catch (error) {
          onError(new Error(`The gauge ${name} could not be read.`, { cause: error }));
        }
      };
      gauge.addCallback(observe);
      return () => gauge.removeCallback(observe);
    });
    this.#removeGauges = () => {
      for (const remove of removers) remove();
    };
  }

  record(measurements: readonly Measurement[]): void {
    for (const { instrument, value, attributes } of measurements) {
      const found = this.#record.get(instrument)!;
      if ('record' in found) found.record(value, attributes);
      else found.add(value, attributes);
    }
  }

  stop(): void {
    this.#removeGauges();
  }
}

const gauges = [
  {
    name: 'dramaturg.queue.length',
    unit: '{instance}',
    description: 'Instances that wait in the queue of their contact.',
    read: (host: TracedHost) => count(host, { state: 'QUEUED', ended: false }, () => 1),
  },
  {
    name: 'dramaturg.decisions.open',
    unit: '{decision}',
    description: 'Questions that wait for a person.',
    read: (host: TracedHost) =>
      count(host, { asks: true, ended: false }, ({ decisionsOpen = 0 }) => decisionsOpen),
  },
  {
    name: 'dramaturg.interventions.open',
    unit: '{instance}',
    description: 'Conversations that wait for a person on the side of the agent.',
    read: (host: TracedHost) =>
      count(host, { state: 'NEEDS_HUMAN_INTERVENTION', ended: false }, () => 1),
  },
];

async function count(
  host: TracedHost,
  filter: ListFilter,
  weight: (instance: InstanceSummary) => number,
): Promise<number> {
  let [sum, seen] = [0, 0];
  for (let after: string | undefined; seen < countMax;) {
    const page = { limit: pageSize, ...(after === undefined ? {} : { after }) };
    const { items, next } = await host.list(filter, page);
    for (const each of items) sum += weight(each);
    seen += items.length;
    if (next === undefined) break;
    after = next;
  }
  return sum;
}
