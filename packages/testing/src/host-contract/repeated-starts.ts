import { expect } from 'vitest';
import { type Fact, until } from './stage.ts';

/** Starts whose id is an idempotency key. */
export function repeatedStarts(fact: Fact): void {
  const order = { id: 'order-1', once: true, input: { wait: 20 } };

  fact(
    'a start that is repeated with "once" starts one instance, also after a crash',
    async (stage) => {
      const first = await Promise.all([
        stage.host.start('job', order),
        stage.host.start('job', { ...order, input: { wait: 20 } }),
      ]);
      expect(first.map(({ id }) => id)).toEqual(['order-1', 'order-1']);
      stage.agent.forget();
      await stage.reopen();
      expect(await stage.host.start('job', order)).toMatchObject({ id: 'order-1' });
      await stage.agent.finish('done');
      await until(async () => (await stage.host.get('order-1')).flow === 'asking', 'the question');
      await stage.host.cancel('order-1');
      expect(await stage.host.start('job', order)).toEqual({ id: 'order-1', state: 'FAILED' });
      expect((await stage.host.list()).items.map(({ id }) => id)).toEqual(['order-1']);
      expect(new Set(stage.agent.made)).toEqual(new Set(['order-1/first']));
    },
  );

  fact('a start with "once" may have a first message, which is received once', async (stage) => {
    const greeting = { id: 'a', once: true, contact: 'ada', message: { text: 'Hi.', id: 'm 1' } };
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await stage.host.start('chat', greeting)).toMatchObject({ id: 'a' });
    expect((await stage.said('a')).filter((line) => line.startsWith('contact'))).toEqual([
      'contact: Hi.',
    ]);
    await stage.host.cancel('a');
    expect(await stage.host.start('chat', greeting)).toEqual({ id: 'a', state: 'FAILED' });
  });

  fact(
    'a start that is refused for its id disturbs no other caller of the instance',
    async (stage) => {
      const ids = Array.from({ length: 40 }, (_, index) => `a${index}`);
      for (const id of ids) await stage.host.start('job', { id, input: { wait: 20 } });
      await stage.reopen();
      const { host } = stage;
      const outcomes = ids.map(async (id, ticks) => {
        const refused = host.start('chat', { id }).catch((error: { code: string }) => error.code);
        // The other caller starts at any point of the refused start.
        for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
        const { accepted } = await host.pause(id);
        return [await refused, accepted];
      });
      expect(await Promise.all(outcomes)).toEqual(ids.map(() => ['host/exists', true]));
    },
  );

  fact('another start with the id of one that was made once is refused', async ({ host }) => {
    await host.start('job', order);
    const refusalOf = (definition: string, more: object) =>
      host.start(definition, { ...order, ...more }).catch((error: unknown) => error);
    const sentence = (difference: string) => ({
      code: 'host/exists',
      message: `There is an instance "order-1" already, and it has another ${difference}. Repeat its start as it was, or use another id.`,
    });
    expect(await refusalOf('chat', {})).toMatchObject(sentence('definition'));
    expect(await refusalOf('job', { input: { wait: 30 } })).toMatchObject(sentence('input'));
    expect(await refusalOf('job', { contact: 'ada', input: {} })).toMatchObject(
      sentence('contact, input'),
    );
    await expect(host.start('job', { once: true })).rejects.toThrow(
      '"once" needs an "id": it is the key by which a repeated start is known.',
    );
  });
}
