import { readFileSync } from 'node:fs';
import { manualClock } from '@dramaturg/host';
import { expect, onTestFinished, test } from 'vitest';
import { compile, conversationLifecycle, createHost, type PortInput } from '../../src/index.ts';
import { places } from './stage.ts';

/** A plan and a scenario whose prompts say what time it is. */
const plan = {
  title: 'Booking',
  system_prompt: 'You book visits. It is {{now}}.',
  states: [
    {
      id: 'day',
      tasks: [{ id: 'ask', deliverables: [{ key: 'day', description: 'Which day?' }] }],
    },
  ],
};
const lighthouse = new URL(
  '../../../formats/npc/test/fixtures/lighthouse/lighthouse.npc.json',
  import.meta.url,
);
const scenario = JSON.parse(
  readFileSync(lighthouse, 'utf8').replace('You are Maren', 'It is {{now}}. You are Maren'),
) as object;

test.each([
  ['plan', plan],
  ['npc', scenario],
])('a %s says the present time in the zone of its lifecycle', async (format, definition) => {
  const { policies } = conversationLifecycle;
  const zoned = { ...conversationLifecycle, policies: { ...policies, time_zone: 'Europe/Berlin' } };
  const compiled = compile(JSON.stringify(definition), { fileName: `visit.${format}.json` });
  const inputs: PortInput<'reply'>[] = [];
  const host = await createHost({
    store: places['memory']!(),
    definitions: { visit: { definition: compiled, lifecycle: compile(JSON.stringify(zoned)) } },
    ports: {
      reply: (input) => {
        inputs.push(input);
        return { text: 'Good evening.' };
      },
    },
    clock: manualClock({ startAt: Date.parse('2026-10-23T16:00:00Z') }),
  });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('visit', {
    contact: 'ada',
    input: format === 'npc' ? { player: { name: 'Ada' } } : {},
  });
  await host.settle();

  const text = inputs[0]!.prompt.map((section) => section.text).join('\n');
  expect(text).toContain('It is Friday, 23 October 2026, 18:00 (Europe/Berlin).');
});
