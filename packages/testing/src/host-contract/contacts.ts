import { telephoneNumber } from '@dramaturg/host/channel';
import { expect } from 'vitest';
import { lookalikes } from '../lookalikes.ts';
import { aWhile, type Fact, type HostStage, until, refuses } from './stage.ts';

/** Groups of similar ids that some programs confuse. */
const alike = [
  ['1-23', '12-3', '123', '+123', '00123', '0123', '(1)23', '1.23', '1 23', '１２３'],
  ['Ab3', 'aB3', 'ab3', 'AB3', ' ab3', 'ab3 '],
  ['é', 'e\u0301', 'É', 'ﬁ', 'fi', 'K', '\u212a', 'k', 'ß', 'ss', 'İ', 'i\u0307', '__proto__'],
];

/** Opens a host with a channel for telephone numbers besides the first channel, which does not change contacts. */
function withTelephone(stage: HostStage): Promise<unknown> {
  const sms = { contactKey: telephoneNumber, deliver: () => {} };
  return stage.reopen({ channels: { main: stage.channel, sms } });
}

/** No person is taken for another one. */
export function contacts(fact: Fact): void {
  fact('ids that look alike are different contacts', async (stage) => {
    const { host } = stage;
    const ids = [...new Set([...alike.flat(), ...lookalikes('Añ-07').slice(0, 12)])];
    const idOf = (contact: string) => `of ${ids.indexOf(contact)}`;
    for (const contact of ids) await host.start('chat', { id: idOf(contact), contact });
    const found: unknown[] = [];
    for (const contact of ids) {
      const { instance } = await host.receive({ contact, text: `I am ${contact}` });
      const { items } = await host.list({ contact });
      found.push([contact, instance, items.map(({ id }) => id), items[0]?.contact]);
    }

    expect(found).toEqual(ids.map((id) => [id, idOf(id), [idOf(id)], id]));
  });

  fact('an erase or an export of a contact leaves those that look alike', async (stage) => {
    const { host } = stage;
    const ids = alike[0]!.slice(0, 5);
    for (const [index, contact] of ids.entries())
      await host.start('chat', { id: `of ${index}`, contact });
    const [erased, ...others] = ids as [string, ...string[]];
    const parts: string[] = [];
    for await (const part of host.export({ contact: erased })) parts.push(part);
    const exported = JSON.parse(parts.join('')) as { instances: readonly { id: string }[] };
    const { instances } = await host.erase({ contact: erased, running: 'end' });
    const left = await Promise.all(others.map((contact) => host.list({ contact })));

    expect(exported.instances.map(({ id }) => id)).toEqual(['of 0']);
    expect(instances).toBe(1);
    expect((await host.list({ contact: erased })).items).toEqual([]);
    expect(left.map(({ items }) => items.length)).toEqual(others.map(() => 1));
  });

  fact('a request that names a channel has the contact in its form', async (stage) => {
    await withTelephone(stage);
    const { host } = stage;
    const channel = 'sms';
    await host.start('chat', { id: 'a', contact: '+56 9 1234', channel });
    const receive = (contact: string) => host.receive({ contact, channel, text: 'Hi.' });
    const again = { id: 'a', once: true, contact: '+56 9 1234', channel } as const;

    expect(await host.get('a')).toMatchObject({ contact: '+5691234', address: '+56 9 1234' });
    expect(await receive('+5691234')).toMatchObject({ instance: 'a' });
    expect(await receive(' +56 (9) 12-34')).toMatchObject({ instance: 'a' });
    expect(await host.start('chat', again)).toMatchObject({ id: 'a' });
    expect((await host.list({ contact: '+56-9-1234', channel })).items).toHaveLength(1);
    expect((await host.list({ contact: '+5691234' })).items).toHaveLength(1);
    expect((await host.list({ contact: '+56 9 1234' })).items).toEqual([]);
    expect(await host.receive({ contact: '+56 9 1234', text: 'Hi.' })).toMatchObject({
      code: 'host/no-holder',
    });
    expect(await host.erase({ contact: '+56.9.1234', channel, running: 'end' })).toMatchObject({
      instances: 1,
    });
  });

  fact('a first message meets the start of its channel under one contact', async (stage) => {
    await withTelephone(stage);
    const { host } = stage;
    const orStart = { definition: 'chat', channel: 'sms' };
    const first = await host.receive({ contact: '+56 9 1234', text: 'Hi.', orStart });
    const second = await host.receive({ contact: '+5691234', text: 'Hi.', orStart });

    expect(second).toMatchObject({ instance: first.instance, accepted: true });
  });

  fact('a contact that a channel does not have is refused, with what to write', async (stage) => {
    await withTelephone(stage);
    const { host } = stage;
    for (const contact of [
      '5691234',
      '0056 9 1234',
      '+0691234',
      '+56 (0) 91234',
      '+１２３４５',
      'ada',
    ])
      for (const refused of [
        host.start('chat', { contact, channel: 'sms' }),
        host.receive({ contact, channel: 'sms', text: 'Hi.' }),
        host.list({ contact, channel: 'sms' }),
        host.erase({ contact, channel: 'sms' }),
      ])
        await expect(refused).rejects.toMatchObject({
          code: 'host/bad-request',
          message: expect.stringMatching(/country: write "\+14155552671"/) as string,
        });
    await expect(host.list({ contact: 'ada', channel: 'fax' })).rejects.toMatchObject({
      code: 'host/bad-request',
      message: expect.stringMatching(/no channel "fax"/) as string,
    });
    await refuses(host.list({ channel: 'sms' }), 'host/bad-request');
    expect((await host.list()).items).toEqual([]);
  });

  fact('a start that the first channel would answer elsewhere is refused', async (stage) => {
    const sms = { contactKey: telephoneNumber, deliver: () => {} };
    await stage.reopen({ channels: { sms, main: stage.channel } });
    const { host } = stage;

    await expect(host.start('chat', { contact: '+56 9 1234' })).rejects.toMatchObject({
      code: 'host/bad-request',
      message: expect.stringMatching(/"sms" writes this contact "\+5691234"/) as string,
    });
    for (const contact of ['+5691234', 'ada']) await host.start('chat', { id: contact, contact });
    expect((await host.list()).items.map(({ contact }) => contact)).toEqual(['+5691234', 'ada']);
  });
}

const data = { attachments: [{ url: 'https://files.example/1', type: 'image/png' }] };

async function dataOf({ host }: HostStage, instance: string) {
  const transcript = await host.transcript(instance, { from: 0, limit: 1_000 });
  return transcript.flatMap(({ role, data: found }) => (role === 'contact' ? [found] : []));
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
        await refuses(stage.host.receive(message), 'host/bad-request');
      }
      expect(await dataOf(stage, 'a')).toEqual([]);
    },
  );
}

/** One conversation at a time with each contact. */
export function lines(fact: Fact): void {
  fact.greeted('a second instance for a contact waits until the first has ended', async (stage) => {
    expect(await stage.host.start('chat', { id: 'b', contact: 'ada' })).toMatchObject({
      state: 'QUEUED',
    });
    expect(await stage.host.start('chat', { id: 'c', contact: 'ada' })).toMatchObject({
      state: 'QUEUED',
    });
    await stage.host.cancel('a');
    await stage.reaches('b', 'ACTIVE');
    expect(await stage.way('b')).toEqual(['QUEUED', 'CREATED', 'ACTIVE']);
    expect(await stage.stateOf('c')).toBe('QUEUED');
  });

  fact.greeted('instances for other contacts do not wait', async (stage) => {
    expect(await stage.host.start('chat', { id: 'b', contact: 'bob' })).toMatchObject({
      state: 'ACTIVE',
    });
  });

  fact.greeted('cancelling a waiting instance starts no other', async (stage) => {
    await stage.host.start('chat', { id: 'b', contact: 'ada' });
    await stage.host.start('chat', { id: 'c', contact: 'ada' });
    await stage.host.cancel('b');
    await aWhile();
    expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
    expect(await stage.stateOf('c')).toBe('QUEUED');
  });

  fact.greeted(
    'an instance paused in the contact queue is skipped, and waits again when resumed',
    async (stage) => {
      await stage.host.start('chat', { id: 'b', contact: 'ada' });
      await stage.host.pause('b');
      await stage.host.cancel('a');
      await aWhile();
      expect(await stage.stateOf('b')).toBe('PAUSED');
      expect(await stage.host.start('chat', { id: 'd', contact: 'ada' })).toMatchObject({
        state: 'ACTIVE',
      });
      await stage.host.resume('b');
      expect(await stage.stateOf('b')).toBe('QUEUED');
    },
  );

  fact.greeted(
    'an instance resumed in the contact queue starts at once when the contact is free',
    async (stage) => {
      await stage.host.start('chat', { id: 'b', contact: 'ada' });
      await stage.host.pause('b');
      await stage.host.cancel('a');
      await stage.host.resume('b');
      await stage.reaches('b', 'ACTIVE');
    },
  );

  fact.greeted('a paused holder keeps the contact', async (stage) => {
    await stage.host.pause('a');
    expect(await stage.host.start('chat', { id: 'b', contact: 'ada' })).toMatchObject({
      state: 'QUEUED',
    });
  });

  fact(
    'of many instances started at once, one holds the contact and the others wait',
    async (stage) => {
      const started = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          stage.host.start('chat', { id: `i${index}`, contact: 'ada' }),
        ),
      );
      expect(started.filter(({ state }) => state === 'ACTIVE')).toHaveLength(1);
      expect(started.filter(({ state }) => state === 'QUEUED')).toHaveLength(11);
    },
  );

  fact.greeted('the contact queue is the same after a restart', async (stage) => {
    for (const id of ['b', 'c']) await stage.host.start('chat', { id, contact: 'ada' });
    await stage.reopen();
    await stage.host.cancel('a');
    await stage.reaches('b', 'ACTIVE');
    expect(await stage.stateOf('c')).toBe('QUEUED');
  });
}
