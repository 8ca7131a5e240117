import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  compile,
  createHost,
  type Host,
  lowdbStore,
  memoryStore,
  sqliteStore,
  type StoreLocation,
} from 'dramaturg';
import { until as untilTrue } from '@dramaturg/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';

/** Counts up to 20 with an agent, and carries all its data along. */
const counting = compile(
  JSON.stringify({
    StartAt: 'Count',
    States: {
      Count: {
        Type: 'Task',
        Agent: 'adder',
        Parameters: { 'count.$': '$.count' },
        ResultPath: '$.count',
        Next: 'Enough',
      },
      Enough: {
        Type: 'Choice',
        Choices: [{ Variable: '$.count', NumericLessThan: 20, Next: 'Count' }],
        Default: 'Done',
      },
      Done: { Type: 'Pass', End: true },
    },
  }),
  { format: 'asl', options: { dialect: 'agent' } },
);

const items = Array.from({ length: 3_000 }, (_, index) => ({
  index,
  text: `item ${index} `.repeat(5),
  places: [[['input'], '1']],
  // H8: looks like a reference to an actor.
  actor: { xstate$$type: 1, id: 'none' },
}));
const wholeLength = JSON.stringify(items).length;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-large-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const stores: Readonly<Record<string, () => StoreLocation>> = {
  memory: () => memoryStore(),
  lowdb: () => lowdbStore(join(newFolder(), 'store'), { fsync: 'never' }),
  sqlite: () => sqliteStore(join(newFolder(), 'store.db'), { fsync: 'never' }),
};

/** A store that notes the length of each write to the run. */
function measured(place: StoreLocation, written: number[]): StoreLocation {
  return {
    ...place,
    open: async (owner) => {
      const store = await place.open(owner);
      return new Proxy(store, {
        get: (_, name) => {
          const value: unknown = Reflect.get(store, name);
          if (typeof value !== 'function') return value;
          return (...given: readonly [{ readonly id?: string }]) => {
            if ((name === 'create' || name === 'commit') && given[0].id === 'run')
              written.push(JSON.stringify(given[0]).length);
            return value.apply(store, given) as unknown;
          };
        },
      });
    },
  };
}

interface Adder {
  readonly open: () => Promise<Host>;
  /** Fulfils when the agent has this number to add 1 to; it answers only then. */
  readonly until: (count: number) => Promise<void>;
}

function adder(store: StoreLocation): Adder {
  let pause: { readonly at: number; readonly reached: () => void } | undefined;
  return {
    open: () =>
      createHost({
        store,
        definitions: { counting },
        ports: {
          runAgent: async ({ input }) => {
            const { count } = input as { readonly count: number };
            if (count === pause?.at) {
              pause.reached();
              return new Promise(() => {});
            }
            return { result: count + 1 };
          },
        },
      }),
    until: (at) => new Promise((reached) => (pause = { at, reached })),
  };
}

describe.each(Object.entries(stores).slice(runsAll ? 0 : -1))('%s', (_, place) => {
  test('a step of a workflow with much data writes what it has changed, also after a restart', async () => {
    const written: number[] = [];
    const { open, until } = adder(measured(place(), written));
    const host = await open();
    const reached = until(10);
    await host.start('counting', { id: 'run', input: { input: { count: 0, items } } });
    await reached;
    expect(written).toHaveLength(11);
    expect(written[0]).toBeGreaterThan(wholeLength);
    for (const length of written.slice(1)) expect(length).toBeLessThan(6_000);
    await host.stop({ within: 0 });

    written.length = 0;
    const again = await open();
    void until(-1);
    await untilTrue(async () => (await again.get('run')).ended, 'the end');
    expect(written).toHaveLength(10);
    // The journal gets the values once more, because the host does not remember the lines of the one before it.
    expect(written[0]).toBeLessThan(wholeLength + 6_000);
    for (const length of written.slice(1)) expect(length).toBeLessThan(6_000);

    const journal = (await again.journal('run', { from: 0, limit: 1_000 })) as unknown as readonly {
      readonly event: {
        readonly type: string;
        readonly input?: unknown;
        readonly output?: unknown;
      };
    }[];
    const exits = journal.filter(({ event }) => event.type === 'state.exited');
    expect(exits).toHaveLength(41);
    for (const [index, { event }] of exits.entries())
      expect(event.output).toEqual({ count: Math.min(20, 1 + Math.floor(index / 2)), items });
    await again.stop();
  });
});
