import { expect, test } from 'vitest';
import { compile, createHost, memoryStore } from '../src/index.ts';

const parcel = JSON.stringify({
  StartAt: 'Rest',
  States: { Rest: { Type: 'Wait', Seconds: 60, End: true } },
});

async function placeIn(text: string, chart = compile(text).chart!) {
  const definition = { ...compile(text), chart };
  const host = await createHost({ store: memoryStore(), definitions: { parcel: definition } });
  try {
    const { id } = await host.start('parcel', {});
    const { states } = await host.get(id);
    return states.map(({ position }) => position);
  } finally {
    await host.stop();
  }
}

test('hosts of one chart find its states in the text that each has', async () => {
  const { chart } = compile(parcel);
  const [first] = await placeIn(parcel, chart);
  expect(first).toEqual({ line: 1, column: parcel.indexOf('{"Type"') + 1 });
  const moved = await placeIn(`\n\n ${parcel}`, chart);
  expect(moved).toEqual([{ line: 3, column: first!.column + 1 }]);
  expect(await placeIn(parcel, chart)).toEqual([first]);
});
