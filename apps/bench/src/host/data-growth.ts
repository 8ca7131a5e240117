import { EventEmitter, once } from 'node:events';
import { compile, createHost, type Host } from 'dramaturg';
import type { Prepare } from '../measure.ts';
import {
  type CountedWrite,
  countingStore,
  onStores,
  storeAt,
  type StoreSettings,
  timed,
} from './stores.ts';

const stepsOfSample = 40;

/** A workflow that counts with an agent endlessly and carries all its data along. */
const counting = compile(
  JSON.stringify({
    StartAt: 'Count',
    States: {
      Count: {
        Type: 'Task',
        Agent: 'adder',
        Parameters: { 'run.$': '$.run', 'count.$': '$.count' },
        ResultPath: '$.count',
        Next: 'Again',
      },
      Again: {
        Type: 'Choice',
        Choices: [{ Variable: '$.count', NumericGreaterThan: 0, Next: 'Count' }],
        Default: 'Never',
      },
      Never: { Type: 'Succeed' },
    },
  }),
  { format: 'asl', options: { dialect: 'agent' } },
);

/** A run that is advanced by some steps at a time. */
class Run {
  readonly name: string;
  readonly #events = new EventEmitter();
  #until = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Called by the agent of the run. */
  async answer(count: number): Promise<number> {
    if (count === this.#until) {
      const more = once(this.#events, 'more');
      this.#events.emit('paused');
      await more;
    }
    return count + 1;
  }

  async begin(host: Host, characters: number): Promise<void> {
    const text = 'a part of the data '.repeat(5);
    const items = Array.from({ length: characters / 100 }, (_, index) => `${index} ${text}`);
    const input = { run: this.name, count: 0, items };
    const paused = once(this.#events, 'paused');
    await host.start('counting', { id: this.name, input: { input } });
    await paused;
  }

  async steps(): Promise<void> {
    this.#until += stepsOfSample;
    const paused = once(this.#events, 'paused');
    this.#events.emit('more');
    await paused;
  }
}

/**
 * Measures steps of a workflow that carries 1 MB of data over steps of one that carries 1 kB, in turn: their time, and the
 * bytes that the host asks its store to write.
 */
export const prepare: Prepare<StoreSettings> = async (settings) => {
  const writes: CountedWrite[] = [];
  const [large, small] = [new Run('large'), new Run('small')];
  const host = await createHost({
    store: countingStore(storeAt(settings, 'always'), writes),
    definitions: { counting },
    ports: {
      runAgent: async ({ input }) => {
        const { run, count } = input as { readonly run: string; readonly count: number };
        return { result: await (run === large.name ? large : small).answer(count) };
      },
    },
  });
  await large.begin(host, 1_000_000);
  await small.begin(host, 1_000);
  const sampleOf = async (run: Run) => {
    writes.length = 0;
    const time = await timed(() => run.steps());
    return { time, bytes: writes.reduce((sum, { bytes }) => sum + bytes, 0) };
  };
  for (const run of [large, small, large, small]) await sampleOf(run);
  return {
    sample: async () => {
      const [ofLarge, ofSmall] = [await sampleOf(large), await sampleOf(small)];
      return { time: ofLarge.time / ofSmall.time, bytes: ofLarge.bytes / ofSmall.bytes };
    },
    close: () => host.stop({ within: 0 }),
  };
};

/** A step writes only its changes, independent of the size of the instance's data. */
export const durableDataGrowth = onStores(import.meta.filename, (kind) => ({
  bytes: [`bytes of a step with 1 MB of data over 1 kB on ${kind}`, '×', 1.1],
  time: [`step with 1 MB of data over 1 kB on ${kind}`, '×', 2],
}));
