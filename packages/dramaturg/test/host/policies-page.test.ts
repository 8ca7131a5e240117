import { readFileSync } from 'node:fs';
import { manualClock } from '@dramaturg/host';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Channel,
  compile,
  conversationLifecycle,
  createHost,
  memoryStore,
  understudyPorts,
} from '../../src/index.ts';
import { conversationsOfFormats } from './conversations-of-formats.ts';

/** The stories of docs/formats/lifecycle.md: the policies of a block of JSON, and what happens with them. */
const page = readFileSync(
  new URL('../../../../docs/formats/lifecycle.md', import.meta.url),
  'utf8',
);
const stories = Array.from(
  page.matchAll(/```json story="(\w+)"\n([^]*?)```\n[^]*?```text story\n([^]*?)```/g),
  ([, name, policies, story]) => ({
    name,
    policies: JSON.parse(policies!) as object,
    story: story!,
  }),
);

const intake = compile(
  JSON.stringify({
    title: 'Intake',
    states: [
      {
        id: 'name',
        tasks: [{ id: 'ask', deliverables: [{ key: 'name', description: 'What is your name?' }] }],
      },
    ],
  }),
  { fileName: 'intake.plan.json' },
);

/** Acts as the lines of a story say, and writes the story as it has happened. */
async function told(story: string, policies: object, definition = intake) {
  const clock = manualClock({ startAt: Date.parse('2026-10-23T16:00:00Z') });
  const lifecycle = {
    ...conversationLifecycle,
    policies: { ...conversationLifecycle.policies, ...policies },
  };
  const lines: string[] = [];
  const sms: Channel = {
    deliver: ({ role, text }) =>
      void lines.push(`${role === 'manual' ? 'operator' : 'agent'}: ${text}`),
  };
  const host = await createHost({
    store: memoryStore(),
    definitions: { intake: { definition, lifecycle: compile(JSON.stringify(lifecycle)) } },
    ports: understudyPorts(),
    channels: { sms },
    clock,
  });
  onTestFinished(() => host.stop({ within: 0 }));
  const { id } = await host.start('intake', { contact: 'ada' });
  await host.settle();
  for (const line of story.trim().split('\n')) {
    const [, who, text = ''] = /^(\w+): (.*?)(?: \(not sent\))?$/.exec(line)!;
    if (who === 'contact') {
      lines.push(line);
      await host.receive({ contact: 'ada', channel: 'sms', text });
    } else if (who === 'operator') {
      const { accepted } = await host.intervene(id, text);
      if (!accepted) lines.push(`operator: ${text} (not sent)`);
    } else if (who === 'time') {
      clock.set(Date.parse(text));
      lines.push(line);
    } else if (who === 'state') lines.push(`state: ${(await host.get(id)).state}`);
    await host.settle();
  }
  return lines;
}

test.each(stories)('the story of $name happens as it is written', async ({ policies, story }) => {
  expect(`${(await told(story, policies)).join('\n')}\n`).toBe(story);
});

test.each(Object.entries(conversationsOfFormats))(
  'words are heard in a %s',
  async (_, definition) => {
    const { policies, story } = stories.find(({ name }) => name === 'words')!;
    const lines = await told(story, policies, definition);
    const [opening] = lines;
    expect(lines).toEqual(
      story
        .trim()
        .split('\n')
        .map((line) => (line === 'agent: What is your name?' ? opening : line)),
    );
  },
);
