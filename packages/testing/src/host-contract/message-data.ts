import { expect } from 'vitest';
import { type Fact, type HostStage, until } from './stage.ts';

const data = { attachments: [{ url: 'https://files.example/1', type: 'image/png' }] };

async function dataOf({ host }: HostStage, instance: string) {
  const lines = await host.transcript(instance, { from: 0, limit: 1_000 });
  return lines.flatMap(({ role, data: found }) => (role === 'contact' ? [found] : []));
}

export function messageData(fact: Fact): void {
  fact('the data of a message is stored at its line, and ports read it as data', async (stage) => {
    await stage.greeted('a', 'Ada');
    await stage.host.receive({ contact: 'Ada', text: 'Look.', id: 'm1', data });
    const call = await stage.agent.next();

    expect(await dataOf(stage, 'a')).toEqual([data]);
    expect((await call.transcript?.(1))?.at(-1)).toMatchObject({
      role: 'contact',
      text: 'Look.',
      data,
    });
    await stage.agent.answer('Nice.');
    await until(async () => (await stage.said('a')).includes('agent: Nice.'), 'the answer');
    await stage.reopen();
    expect(await dataOf(stage, 'a')).toEqual([data]);
  });

  fact('the data of a first message is stored too', async (stage) => {
    const orStart = { definition: 'chat', id: 'a' };
    await stage.host.receive({ contact: 'Ada', text: 'Look.', id: 'm1', data, orStart });

    expect(await dataOf(stage, 'a')).toEqual([data]);
  });

  fact(
    'data that is too long or not an object is refused, and nothing is stored',
    async (stage) => {
      await stage.greeted('a', 'Ada');
      for (const wrong of [{ text: 'x'.repeat(32_768) }, 'text', [1]]) {
        const message = { contact: 'Ada', text: 'Hello.', data: wrong as never };
        await expect(stage.host.receive(message)).rejects.toMatchObject({
          code: 'host/bad-request',
        });
      }
      expect(await dataOf(stage, 'a')).toEqual([]);
    },
  );
}
