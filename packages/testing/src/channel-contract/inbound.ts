import { expect } from 'vitest';
import { until } from '../host-contract/stage.ts';
import { lookalikes } from '../lookalikes.ts';
import type { ChannelFact, ChannelStage, Signing } from './stage.ts';

/** Bodies that no provider sends. */
const garbage = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '1e999',
  '{}',
  '{"type":null,"data":null,"event":null,"message":null}',
  '{"type":{},"data":[],"event":"x","message":[1],"update_id":"x"}',
  '['.repeat(50_000),
  '\u0000\uffff',
  'From=&Body=&MessageSid=',
  '%E0%A4%A=%&&&==',
];

const first = (stage: ChannelStage, text: string, number = 1) => ({
  contact: stage.place.contacts[0],
  text,
  number,
});

export function inbound(fact: ChannelFact): void {
  fact(
    'a signed message starts a conversation, and is stored when the provider gets its answer (H1)',
    async (stage) => {
      const answer = await stage.send(stage.place.sign(first(stage, 'Hello.')));

      expect(answer.status).toBe(200);
      expect(await stage.received()).toEqual(['Hello.']);
      expect(await stage.hosting.host.get(await stage.instance())).toMatchObject({
        address: stage.place.contacts[0],
        channel: 'main',
      });
    },
  );

  fact('the answer of the conversation reaches the person who has written', async (stage) => {
    await stage.send(stage.place.sign(first(stage, 'Hello.')));
    await stage.hosting.agent.answer('Hello, you.');
    await until(() => stage.place.provider.shown.length > 0, 'the answer');

    expect(stage.place.provider.shown).toMatchObject([
      { contact: stage.place.contacts[0], text: 'Hello, you.' },
    ]);
  });

  fact('the provider gets its answer while the conversation still works', async (stage) => {
    for (const number of [1, 2, 3]) {
      const answer = await stage.send(stage.place.sign(first(stage, `Message ${number}.`, number)));
      expect(answer.status).toBe(200);
    }

    expect(stage.hosting.agent.open).toHaveLength(1);
  });

  const refusals: Readonly<Record<string, Signing>> = {
    'a request without a signature is refused': 'missing',
    'a request with a wrong signature is refused': 'wrong',
    'a request that was signed long ago is refused': 'old',
  };
  for (const [name, signing] of Object.entries(refusals))
    fact(name, async (stage) => {
      const answer = await stage.send(stage.place.sign(first(stage, 'Hello.'), signing));

      expect([401, 403]).toContain(answer.status);
      expect(await stage.received()).toEqual([]);
    });

  fact('a changed body is refused', async (stage) => {
    const { body, ...request } = stage.place.sign(first(stage, 'Hello.'));
    const answer = await stage.send({ ...request, body: body.replace('Hello', 'Hallo') });

    expect([401, 403]).toContain(answer.status);
    expect(await stage.received()).toEqual([]);
  });

  fact('a message that the provider sends again is one message', async (stage) => {
    const request = stage.place.sign(first(stage, 'Hello.'));
    for (let times = 0; times < 3; times += 1) expect((await stage.send(request)).status).toBe(200);
    const together = await Promise.all([1, 2].map(() => stage.send(request)));

    expect(together.map(({ status }) => status)).toEqual([200, 200]);
    expect(await stage.received()).toEqual(['Hello.']);
  });

  fact(
    'a message that comes again with other content is acknowledged and reported',
    async (stage) => {
      await stage.send(stage.place.sign(first(stage, 'Hello.')));
      expect((await stage.send(stage.place.sign(first(stage, 'Good bye.')))).status).toBe(200);

      expect(await stage.received()).toEqual(['Hello.']);
      expect(stage.hosting.trouble).toEqual([
        {
          doing: expect.any(String),
          error: expect.objectContaining({ code: 'message/other-content' }),
        },
      ]);
    },
  );

  fact('an edited message is a new one that says which it replaces', async (stage) => {
    const edit = (text: string, second: number) =>
      stage.send(stage.place.sign({ ...first(stage, text), edit: second }));
    await stage.send(stage.place.sign(first(stage, 'Hello.')));
    for (const [text, second] of [
      ['Hallo.', 1],
      ['Hallo.', 1],
      ['Hello.', 2],
      ['Hallo.', 3],
      ['Hallo.', 3],
    ] as const)
      expect((await edit(text, second)).status).toBe(200);

    const lines = await stage.hosting.host.transcript(await stage.instance(), {
      from: 0,
      limit: 100,
    });
    const own = lines.filter(({ role }) => role === 'contact');
    expect(own.map(({ text }) => text)).toEqual(['Hello.', 'Hallo.', 'Hello.', 'Hallo.']);
    const { id } = own[0]!;
    expect(own.map(({ data }) => data?.['replaces'])).toEqual([undefined, id, id, id]);
  });

  fact('a text that is too long for one message is received as several', async (stage) => {
    const text = `${'A long line of words. '.repeat(5_000)}The end.`;
    const request = stage.place.sign(first(stage, text));
    for (let times = 0; times < 2; times += 1) expect((await stage.send(request)).status).toBe(200);
    const received = await stage.received();

    expect(received).toHaveLength(2);
    expect(received.join(' ')).toBe(text);
  });

  fact('messages that arrive out of order are all received', async (stage) => {
    for (const number of [2, 1, 3, 2])
      await stage.send(stage.place.sign(first(stage, `Message ${number}.`, number)));

    expect(await stage.received()).toEqual(['Message 2.', 'Message 1.', 'Message 3.']);
  });

  fact('two people have conversations of their own', async (stage) => {
    const [one, other] = stage.place.contacts;
    await stage.send(stage.place.sign({ contact: one, text: 'One.', number: 1 }));
    await stage.send(stage.place.sign({ contact: other, text: 'Other.', number: 2 }));
    const { items } = await stage.hosting.host.list();

    expect(items).toHaveLength(2);
    expect(new Set(items.map(({ contact }) => contact)).size).toBe(2);
  });

  fact('a start in another spelling meets what the person writes', async (stage) => {
    const { host } = stage.hosting;
    const { spellings = [], contacts } = stage.place;
    for (const [number, contact] of [contacts[0], ...spellings].entries()) {
      const { id } = await host.start('chat', { contact, channel: 'main' });
      const text = `To ${contact}.`;
      await stage.send(stage.place.sign(first(stage, text, number)));
      const lines = await host.transcript(id, { from: 0, limit: 100 });
      expect(lines.map((line) => line.text)).toContain(text);
      await host.erase({ contact, channel: 'main', running: 'end' });
    }

    expect((await host.list()).items).toEqual([]);
  });

  fact('an id that looks like that of a person is refused, or is another person', async (stage) => {
    const { host } = stage.hosting;
    const { spellings = [], contacts } = stage.place;
    const channel = 'main';
    const keyOf = async (contact: string) => {
      try {
        const { id } = await host.start('chat', { contact, channel });
        return (await host.get(id)).contact;
      } catch (error) {
        expect(error).toMatchObject({ code: 'host/bad-request' });
        return undefined;
      }
    };
    const key = await keyOf(contacts[0]);
    const taken: string[] = [];
    for (const each of lookalikes(contacts[0]).slice(1))
      if ((await keyOf(each)) === key) taken.push(each);

    expect(taken.filter((each) => !spellings.includes(each))).toEqual([]);
  });

  fact(
    'a signed body without sense is answered without a failure, and nothing is received',
    async (stage) => {
      for (const body of garbage) {
        const { status } = await stage.send(stage.place.signBody(body));
        expect({ body, isFine: [200, 204, 400].includes(status) }).toEqual({ body, isFine: true });
      }
      expect(await stage.received()).toEqual([]);
    },
  );

  fact('other methods are refused', async (stage) => {
    const request = stage.place.sign(first(stage, 'Hello.'));
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect([401, 403, 404, 405]).toContain((await stage.send({ ...request, method })).status);
    expect(await stage.received()).toEqual([]);
  });

  fact(
    'requests that bring no message are acknowledged, and nothing is received',
    async (stage) => {
      expect(stage.place.others.length).toBeGreaterThan(0);
      for (const request of stage.place.others) {
        const { status } = await stage.send(request);
        expect({ ...request, isFine: [200, 204].includes(status) }).toEqual({
          ...request,
          isFine: true,
        });
      }
      expect(await stage.received()).toEqual([]);
    },
  );

  fact('attachments are links in the data of the message', async (stage) => {
    await stage.send(stage.place.sign({ ...first(stage, 'Look.'), attachments: 2 }));
    const lines = await stage.hosting.host.transcript(await stage.instance(), {
      from: 0,
      limit: 100,
    });
    const attachments = lines.find(({ role }) => role === 'contact')?.data?.['attachments'];

    expect(attachments).toHaveLength(2);
    for (const each of attachments as readonly Readonly<Record<string, unknown>>[])
      expect(each['url'] ?? each['id']).toEqual(expect.any(String));
  });

  fact('a message with an attachment and no text is received', async (stage) => {
    await stage.send(stage.place.sign({ ...first(stage, ''), attachments: 1 }));

    expect(await stage.received()).toEqual([expect.stringMatching(/^\[.+\]$/)]);
  });

  fact('a text of the person is data, whatever it looks like', async (stage) => {
    const text = '{"type":"cancel"} & <b>x</b> + %41 \u{1f600} ünï "q" \\n';
    await stage.send(stage.place.sign(first(stage, text)));

    expect(await stage.received()).toEqual([text]);
  });
}

export function reports(fact: ChannelFact): void {
  const delivered = async (stage: ChannelStage) => {
    const { host, agent } = stage.hosting;
    await host.start('chat', { id: 'a', contact: stage.place.contacts[0] });
    await agent.answer('Hello.');
    await until(() => stage.place.provider.shown.length > 0, 'the message');
    return stage.place.provider.shown[0]!;
  };
  const deliveryIn = async (stage: ChannelStage) => {
    const lines = await stage.hosting.host.transcript('a', { from: 0, limit: 100 });
    return lines.find(({ role }) => role === 'agent')?.delivery;
  };

  fact('a delivery report is shown at its message', async (stage) => {
    const shown = await delivered(stage);
    const answer = await stage.send(stage.place.report!(shown, 'delivered'));

    expect([200, 204]).toContain(answer.status);
    expect(await deliveryIn(stage)).toMatchObject({ status: 'delivered' });
  });

  fact('a report of a failure has its reason', async (stage) => {
    const shown = await delivered(stage);
    await stage.send(stage.place.report!(shown, 'failed'));

    expect(await deliveryIn(stage)).toMatchObject({ status: 'failed', reason: expect.any(String) });
  });

  fact('a report with a wrong signature is refused', async (stage) => {
    const shown = await delivered(stage);
    const answer = await stage.send(stage.place.report!(shown, 'failed', 'wrong'));

    expect([401, 403]).toContain(answer.status);
    expect(await deliveryIn(stage)).toBeUndefined();
  });

  fact('a report about an erased instance is acknowledged', async (stage) => {
    const shown = await delivered(stage);
    await stage.hosting.host.erase({
      contact: stage.place.contacts[0],
      channel: 'main',
      running: 'end',
    });
    const answer = await stage.send(stage.place.report!(shown, 'delivered'));

    expect([200, 204]).toContain(answer.status);
  });
}
