import { until } from '@dramaturg/testing';
import { createHost, memoryStore, understudyPorts } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { conversationsOfFormats as conversations } from './conversations-of-formats.ts';

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
