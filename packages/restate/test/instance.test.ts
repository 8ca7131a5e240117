import { rehearsalBehaviour, rehearsalCharts, until } from '@dramaturg/testing';
import { sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { restateHost } from '../src/index.ts';
import { lifecycles } from './lifecycles.ts';

const reason = whyNoRestate();

test.skipIf(reason !== undefined)(
  `an instance on Restate answers a message${reason === undefined ? '' : ` (${reason})`}`,
  async () => {
    const { ingress, admin } = await sharedRestate();
    const delivered: string[] = [];
    const asked: unknown[] = [];
    const host = await restateHost({
      ingress,
      admin,
      namespace: `t${Date.now()}`,
      definitions: [
        { name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation },
      ],
      behaviours: new Map([
        ['rehearsal', rehearsalBehaviour],
        [lifecycles.conversation.format, lifecycles.behaviour],
      ]),
      ports: {
        reply: async ({ message }) => {
          asked.push(message);
          return { text: message === undefined ? 'Hello.' : `You said ${message}` };
        },
      },
      channels: { main: { deliver: async ({ text }) => void delivered.push(text) } },
    });
    onTestFinished(() => host.stop({ within: 0 }));
    expect(await host.start('chat', { id: 'a' })).toEqual({ id: 'a', state: 'ACTIVE' });
    await until(() => delivered.length === 1, 'the greeting');
    const answer = await host.send('a', { type: 'message.received', text: 'Hi.', id: 'm1' });
    expect(answer).toMatchObject({ accepted: true });
    await until(() => delivered.length === 2, 'the answer');
    expect(delivered).toEqual(['Hello.', 'You said Hi.']);
    await expect(host.send('b', { type: 'pause' })).rejects.toThrow('There is no instance "b".');
  },
);
