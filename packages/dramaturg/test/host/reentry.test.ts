import { expect, onTestFinished, test } from 'vitest';
import { compile, createHost, type HostOptions, understudyPorts } from '../../src/index.ts';
import { places } from './stage.ts';

const menu = compile(
  JSON.stringify({
    id: 'menu',
    title: 'Menu',
    states: [
      {
        id: 'menu',
        title: 'Menu',
        tasks: [
          {
            id: 'pick',
            description: 'Hours or prices?',
            deliverables: [{ key: 'choice', type: 'enum', enum_values: ['hours', 'prices'] }],
          },
        ],
        transitions: ['hours', 'prices'].map((choice) => ({
          target_state_id: choice,
          condition_type: 'deliverable_value',
          condition_config: { deliverable_key: 'choice', expected_value: choice },
        })),
      },
      {
        id: 'hours',
        title: 'Hours',
        tasks: [
          {
            id: 'back',
            description: 'Shall we go back to the menu?',
            deliverables: [{ key: 'back', type: 'boolean' }],
          },
        ],
        transitions: [{ target_state_id: 'menu' }],
      },
      {
        id: 'prices',
        title: 'Prices',
        tasks: [{ id: 'item', description: 'Which item?', deliverables: [{ key: 'item' }] }],
      },
    ],
  }),
  { fileName: 'menu.plan.json' },
);

test.each(Object.keys(places))(
  'a menu that is returned to is asked again on a host, across restarts, over the store %s',
  async (store) => {
    const options: HostOptions = {
      store: places[store]!(),
      definitions: { menu },
      ports: understudyPorts(),
      channels: { main: { deliver: () => {} } },
    };
    let host = await createHost(options);
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start('menu', { id: 'a', contact: 'ada' });
    await host.settle();
    const visited: unknown[] = [];
    for (const text of ['hours', 'yes', 'Nice weather today', 'prices']) {
      await host.receive({ contact: 'ada', text });
      await host.settle();
      await host.stop({ within: 1_000 });
      host = await createHost(options);
      const journal = await host.journal('a', { from: 0, limit: 1_000 });
      const entered = (
        journal as unknown as { source: string; event: { type: string; state: string } }[]
      )
        .filter(({ source, event }) => source === 'flow' && event.type === 'state.entered')
        .map(({ event }) => event.state);
      visited.push(entered.at(-1));
    }
    expect(visited).toEqual(['hours', 'menu', 'menu', 'prices']);
  },
);
