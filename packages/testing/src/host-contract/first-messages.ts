import { expect } from 'vitest';
import { type Fact, type HostStage, until } from './stage.ts';

const orStart = { definition: 'chat' };

async function heardBy(stage: HostStage, id: string): Promise<string[]> {
  return (await stage.said(id)).filter((line) => line.startsWith('contact'));
}

/** Messages that start a conversation when no instance holds their contact. */
export function firstMessages(fact: Fact): void {
  fact('first messages at once start one conversation, which receives each once', async (stage) => {
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    const routed = await Promise.all(
      numbers.map((index) =>
        stage.host.receive({
          contact: 'ada',
          text: `Message ${index}.`,
          id: `m ${index}`,
          orStart,
        }),
      ),
    );
    const { items } = await stage.host.list();
    expect(items).toHaveLength(1);
    const { id } = items[0]!;
    for (const answer of routed) expect(answer).toMatchObject({ instance: id, accepted: true });
    await stage.agent.answer('Hello.');
    await until(async () => (await heardBy(stage, id)).length === numbers.length, 'the messages');
    expect(await heardBy(stage, id)).toEqual(numbers.map((index) => `contact: Message ${index}.`));
  });

  fact('a first message that is repeated after a crash is received once', async (stage) => {
    const message = { contact: 'ada', text: 'Hi.', id: 'm 1', orStart };
    const { instance } = await stage.host.receive(message);
    stage.agent.forget();
    await stage.reopen();
    const again = { instance, accepted: false, code: 'message/repeated' };
    expect(await stage.host.receive(message)).toMatchObject(again);
    expect(await heardBy(stage, instance!)).toEqual(['contact: Hi.']);
    await stage.host.cancel(instance!);
    expect(await stage.host.receive(message)).toMatchObject(again);
    const next = await stage.host.receive({ ...message, id: 'm 2' });
    expect(next).toMatchObject({ accepted: true });
    expect(next.instance).not.toBe(instance);
    expect(await heardBy(stage, next.instance!)).toEqual(['contact: Hi.']);
    expect((await stage.host.list()).items).toHaveLength(2);
  });

  fact('a message starts nothing while an instance holds the contact', async (stage) => {
    await stage.greeted('a', 'ada');
    const message = { contact: 'ada', text: 'Hi.', orStart: { definition: 'missing' } };
    expect(await stage.host.receive(message)).toMatchObject({ instance: 'a', accepted: true });
  });

  fact('the conversation that a message starts has the given id and input', async (stage) => {
    const message = {
      contact: 'ada',
      text: 'Hi.',
      orStart: { ...orStart, id: 'a', input: { x: 1 } },
    };
    expect(await stage.host.receive(message)).toMatchObject({ instance: 'a', accepted: true });
    expect((await stage.host.get('a')).input).toMatchObject({ x: 1 });
    const { items } = await stage.host.list({ contact: 'ada' });
    expect(items.map(({ id }) => id)).toEqual(['a']);
  });

  fact(
    'a message that cannot start a conversation is refused, and the next one may',
    async ({ host }) => {
      const send = (start: object, text = 'Hi.') =>
        host.receive({ contact: 'ada', text, orStart: start as typeof orStart });
      const refused = await Promise.allSettled([
        send({ definition: 'missing' }),
        send({ definition: 'chat', id: 'definition:x' }),
        send({ definition: 'chat', chanel: 'main' }),
        send({}),
        send({ definition: 'chat', channel: 'smoke' }),
        send(orStart),
      ]);
      const codes = refused.map((each) => each.status === 'rejected' && each.reason.code);
      expect(codes).toEqual([
        'host/unknown-definition',
        'host/bad-request',
        'host/unknown-option',
        'host/bad-request',
        'host/bad-request',
        false,
      ]);
      expect((await host.list()).items).toHaveLength(1);
    },
  );

  fact('a message starts a workflow, once, and is part of its data', async (stage) => {
    const message = { contact: 'ada', text: 'Hi.', id: 'm 1', orStart: { definition: 'job' } };
    const { instance, accepted } = await stage.host.receive(message);
    expect(accepted).toBe(true);
    await stage.reopen();
    const again = { instance, accepted: false, code: 'message/repeated' };
    expect(await stage.host.receive(message)).toMatchObject(again);
    expect(await heardBy(stage, instance!)).toEqual(['contact: Hi.']);
    const { input } = await stage.host.get(instance!);
    expect(input).toMatchObject({ input: { message: { text: 'Hi.', id: 'm 1' } } });
  });
}
