import { until } from '@dramaturg/testing';
import { compile, createHost, memoryStore } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';

test('H4: calls that are answered at the same time are made once each', async () => {
  const branch = (name: string) => ({
    StartAt: name,
    States: { [name]: { Type: 'Task', Agent: name, End: true } },
  });
  const both = {
    StartAt: 'Both',
    States: {
      Both: { Type: 'Parallel', Branches: ['One', 'Two', 'Three'].map(branch), End: true },
    },
  };
  const made: string[] = [];
  const host = await createHost({
    store: memoryStore(),
    definitions: { both: compile(JSON.stringify(both), { fileName: 'both.asl.json' }) },
    ports: {
      runAgent: ({ agent }) => {
        made.push(agent);
        return { result: agent };
      },
    },
  });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('both', { id: 'b' });
  await until(async () => (await host.get('b')).ended, 'the end');
  expect(made).toEqual(['One', 'Two', 'Three']);
});
