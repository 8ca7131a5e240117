import { until } from '@dramaturg/testing';
import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { places, Stage } from './stage.ts';

const text = (more: object = {}) =>
  JSON.stringify({
    ...more,
    StartAt: 'Ask',
    States: {
      Ask: { Type: 'Approval', Prompt: 'Go on?', ResultPath: '$.r', Next: 'Read' },
      Read: { Type: 'Pass', Parameters: { 'x.$': '$.nope' }, End: true },
    },
  });

test('a run keeps its rule about missing paths in a host that knows other definitions', async () => {
  const store = places['memory']!();
  const open = (definitions: NonNullable<Parameters<typeof Stage.open>[0]['definitions']>) =>
    Stage.open({ store, definitions, ports: {}, channels: {} });
  const lenient = compile(text(), { format: 'asl', options: { missing: 'null' } });
  const said = compile(text({ Metadata: { MissingPaths: 'null' } }), { format: 'asl' });
  let stage = await open({ lenient, said });
  await stage.host.start('lenient', { id: 'one' });
  await stage.host.start('said', { id: 'two' });
  await stage.host.stop({ within: 0 });
  // The definitions of these names have another rule now: new runs have it, and the open ones do not.
  const strict = compile(text(), { format: 'asl' });
  stage = await open({ lenient: strict, said: strict });
  await stage.host.start('lenient', { id: 'three' });
  const states = ['one', 'two', 'three'].map(async (id) => {
    await stage.host.send(id, { type: 'decision.made', decision: 'approve' });
    await until(async () => (await stage.host.get(id)).ended, 'the end');
    return (await stage.host.get(id)).state;
  });
  expect(await Promise.all(states)).toEqual(['COMPLETED', 'COMPLETED', 'FAILED']);
});
