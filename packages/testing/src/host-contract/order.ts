import type { JsonObject } from '@dramaturg/compiler';
import { expect } from 'vitest';
import { type Fact, until } from './stage.ts';

/** Events for an instance are stored, and each is handled once, in order. */
export function order(fact: Fact): void {
  fact('H1: an acknowledged message survives a restart', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.reopen();
    expect(await stage.said('a')).toContain('contact: Hi.');
    const call = await stage.agent.answer('Hello.');
    expect(call.input.message).toBe('Hi.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
  });

  fact('H3: events that come at the same time are handled in order of arrival', async (stage) => {
    await stage.greeted('a', 'ada');
    const texts = Array.from({ length: 40 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(
      texts.map((text, index) =>
        stage.host.send('a', { type: 'message.received', id: `m${index}`, text }),
      ),
    );
    expect(answers.every(({ accepted }) => accepted)).toBe(true);
    const said = await stage.said('a');
    expect(said.filter((line) => line.startsWith('contact'))).toEqual(
      texts.map((text) => `contact: ${text}`),
    );
  });

  fact('H3: of two concurrent commands, the second sees the effect of the first', async (stage) => {
    await stage.greeted('a', 'ada');
    const [first, second] = await Promise.all([stage.host.pause('a'), stage.host.pause('a')]);
    expect(first).toMatchObject({ accepted: true, state: 'PAUSED' });
    expect(second).toMatchObject({ accepted: false, state: 'PAUSED' });
  });

  fact('H3: never more than one turn runs', async (stage) => {
    await stage.greeted('a', 'ada');
    for (let index = 0; index < 10; index += 1)
      await stage.host.receive({ contact: 'ada', text: `message ${index}` });
    await stage.agent.next();
    expect(stage.agent.open).toHaveLength(1);
    await stage.agent.answer('one');
    await until(() => stage.agent.open.length > 0, 'the second turn');
    expect(stage.agent.open).toHaveLength(1);
  });

  fact(
    "H1: a message that is repeated after its instance has ended is known, and not the next one's",
    async (stage) => {
      const bye = { contact: 'ada', id: 'm1', text: 'Bye.' };
      await stage.greeted('a', 'ada');
      await stage.host.start('chat', { id: 'b', contact: 'ada' });
      await stage.host.receive(bye);
      await stage.agent.answer({
        text: 'Bye.',
        toolCalls: [{ name: 'end', arguments: {} }],
      });
      await until(async () => (await stage.host.get('a')).ended, 'the end of the first');
      await stage.agent.answer('Hello from b.');
      await stage.reaches('b', 'WAITING_FOR_REPLY');
      for (const reopen of [false, true]) {
        if (reopen) await stage.reopen();
        expect(await stage.host.receive(bye)).toMatchObject({
          instance: 'a',
          accepted: false,
          because: 'The message "m1" was received before.',
        });
      }
      expect(await stage.said('b')).toEqual(['agent: Hello from b.']);
      await stage.host.cancel('b');
      expect(await stage.host.receive(bye)).toMatchObject({ instance: 'a', accepted: false });
      await stage.host.start('chat', { id: 'c', contact: 'ada' });
      await stage.agent.answer('Hello from c.');
      expect(await stage.host.receive(bye)).toMatchObject({ instance: 'a', accepted: false });
      expect(await stage.host.receive({ ...bye, id: 'm2' })).toMatchObject({ accepted: true });
      expect(await stage.host.receive({ contact: 'eve', id: 'm1', text: 'Hi.' })).toMatchObject({
        instance: null,
        code: 'host/no-holder',
      });
    },
  );

  fact('H1: a message of a conversation long ago is known as long as its line', async (stage) => {
    const write = (index: number, orStart = true) =>
      stage.host.receive({
        contact: 'ada',
        id: `m${index}`,
        text: 'Hi.',
        ...(orStart && { orStart: { definition: 'chat' } }),
      });
    const routed: (string | null)[] = [];
    for (let index = 0; index < 4; index += 1) {
      const { instance } = await write(index);
      routed.push(instance);
      if (index < 3) await stage.host.cancel(instance!);
    }
    for (const reopen of [false, true]) {
      if (reopen) await stage.reopen();
      for (let index = 0; index < 4; index += 1)
        expect(await write(index)).toMatchObject({
          instance: routed[index],
          code: 'message/repeated',
        });
    }
    await stage.host.cancel(routed[3]!);
    for (let index = 0; index < 4; index += 1)
      expect(await write(index, index % 2 === 0)).toMatchObject({
        instance: routed[index],
        code: 'message/repeated',
      });
    await stage.host.erase({ contact: 'ada' });
    expect(await write(0, false)).toMatchObject({ instance: null, code: 'host/no-holder' });
  });

  fact(
    'an id is one message, also a long one, and no other message is taken for it',
    async (stage) => {
      const id = 'i'.repeat(500);
      const write = (text: string, data?: JsonObject) =>
        stage.host.receive({
          contact: 'ada',
          id,
          text,
          ...(data && { data }),
          orStart: { definition: 'chat' },
        });
      expect(await write('Hi.')).toMatchObject({ accepted: true });
      for (const reopen of [false, true]) {
        if (reopen) await stage.reopen();
        expect(await write('Hi.')).toMatchObject({ accepted: false, code: 'message/repeated' });
        for (const other of [write('Good bye.'), write('Hi.', { file: 1 })])
          expect(await other).toMatchObject({ accepted: false, code: 'message/other-content' });
      }
    },
  );

  fact('what JSON would change is refused with its place', async (stage) => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [new Map([['a', 1]]), /at "of.0": it has an instance of Map/],
      [new Set([1]), /of Set/],
      [new Date(0), /of Date/],
      [new Error('No.'), /of Error/],
      [Number.NaN, /the number NaN/],
      [1n, /type bigint/],
      [new Uint8Array(2), /of Uint8Array/],
      [JSON.parse('{"__proto__": {"a": 1}}'), /at "of.0.__proto__"/],
    ];
    for (const [value, message] of wrong) {
      const input = { of: [value] } as unknown as JsonObject;
      const refused = { code: 'host/bad-request', message: expect.stringMatching(message) };
      await expect(stage.host.start('job', { input })).rejects.toMatchObject(refused);
      const given = { contact: 'ada', text: 'Hi.', data: input, orStart: { definition: 'chat' } };
      await expect(stage.host.receive(given)).rejects.toMatchObject({ code: refused.code });
    }
    expect((await stage.host.list()).items).toEqual([]);
  });

  fact("a message that comes while an instance ends is the next one's", async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.start('chat', { id: 'b', contact: 'ada' });
    await stage.host.receive({ contact: 'ada', id: 'm0', text: 'Bye.' });
    await stage.agent.answer({ text: 'Bye.', toolCalls: [{ name: 'end', arguments: {} }] });
    const taken: (string | null)[] = [];
    for (let index = 1; index <= 30; index += 1) {
      const routed = await stage.host.receive({ contact: 'ada', id: `m${index}`, text: 'Still?' });
      expect(routed).toMatchObject({ accepted: true });
      taken.push(routed.instance);
    }
    expect(taken.at(-1)).toBe('b');
    expect(new Set(taken.slice(taken.indexOf('b')))).toEqual(new Set(['b']));
  });
}
