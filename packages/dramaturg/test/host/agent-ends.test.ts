import { readFileSync } from 'node:fs';
import { until } from '@dramaturg/host/testing';
import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';

const fixture = (path: string) =>
  compile(readFileSync(new URL(`../../../formats/${path}`, import.meta.url), 'utf8'), {
    fileName: path,
  });

const conversations = {
  plan: fixture('plan/test/fixtures/greeting/greeting.plan.json'),
  npc: fixture('npc/test/fixtures/lighthouse/lighthouse.npc.json'),
  'context-graph': fixture('context-graph/test/fixtures/check-in/check-in.context-graph.json'),
};

test.each(Object.keys(conversations))(
  'an instance of a %s is completed when its agent ends the conversation, and its words are delivered',
  async (name) => {
    const delivered: string[] = [];
    const host = await createHost({
      store: memoryStore(),
      definitions: conversations,
      ports: {
        ...understudyPorts(),
        recall: () => ({ memories: [] }),
        reply: () => ({
          text: 'That is all.',
          toolCalls: [{ name: 'end_conversation', arguments: { reason: 'settled' } }],
        }),
      },
      channels: {
        main: {
          deliver: ({ text }) => {
            delivered.push(text);
          },
        },
      },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start(name, { id: 'i', contact: 'ada' });
    await until(async () => (await host.get('i')).ended, 'the end');
    expect(await host.get('i')).toMatchObject({ state: 'COMPLETED' });
    expect(delivered).toEqual(['That is all.']);
  },
);
