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

const workflow = {
  StartAt: 'Visit',
  States: { Visit: { Type: 'Task', Agent: 'plan:visit', End: true } },
};
const visits = { id: 'visits', tasks: [{ id: 'visit', agent: 'plan:visit' }] };

test.each<[string, string, object]>([
  ['plan', 'calls a plan', { title: 'Desk', states: [visits] }],
  [
    'plan',
    'starts a plan',
    { title: 'Desk', on_end: { start: 'plan:visit' }, states: [{ id: 'bye' }] },
  ],
  [
    'plan',
    'starts a workflow with a plan',
    { on_end: { start: 'workflow:desk' }, states: [{ id: 'bye' }] },
  ],
  ['asl', 'calls a plan', workflow],
])('the zone of a contact is known to a plan, when a %s %s', async (format, _, definition) => {
  const prompts: string[] = [];
  const host = await createHost({
    store: places['memory']!(),
    definitions: {
      first: compile(JSON.stringify(definition), { format }),
      visit: compile(JSON.stringify(plan), { format: 'plan' }),
      desk: compile(JSON.stringify(workflow), { format: 'asl' }),
    },
    ports: {
      reply: ({ prompt }) => {
        prompts.push(...prompt.map(({ text }) => text));
        return { text: 'Good evening.' };
      },
    },
    clock: manualClock({ startAt: Date.parse('2026-10-23T16:00:00Z') }),
  });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('first', { contact: 'ada', lifecycleInput: { time_zone: 'Asia/Tokyo' } });
  await host.settle();
  expect(prompts.join('\n')).toContain('Saturday, 24 October 2026, 01:00 (Asia/Tokyo).');
});
