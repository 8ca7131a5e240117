import { expect, test } from 'vitest';
import { traced, workflow } from './stage.ts';

test('workflows that begin in the same millisecond, and end in their first step, have all their spans', async () => {
  const count = 50;
  const pass = workflow({ StartAt: 'A', States: { A: { Type: 'Pass', End: true } } });
  const { host, spans } = await traced({ pass });
  const ids = Array.from({ length: count }, (_, index) => `p${index}`);
  await Promise.all(ids.map((id) => host.start('pass', { id })));
  await host.settle();
  const types = (await spans()).map((span) => span.attributes['dramaturg.span.type']);
  const countOf = (type: string) => types.filter((each) => each === type).length;
  expect(['instance', 'transition', 'turn'].map(countOf)).toEqual([count, count, count]);
  expect(types).toHaveLength(3 * count);
});
