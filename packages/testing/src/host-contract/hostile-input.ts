import { expect } from 'vitest';
import { type Fact, until } from './stage.ts';

const names = [
  '__proto__',
  'constructor',
  '../../outside',
  'a/b\\c',
  'CON',
  '%2e%2e',
  "'; DROP TABLE records; --",
  '💥\n\t\u0000',
  ' spaces ',
  'x'.repeat(200),
];

/** H8: input from outside is data. */
export function hostileInput(fact: Fact): void {
  fact('H8: any text is an id, and stays one instance', async (stage) => {
    for (const id of names) await stage.host.start('chat', { id, contact: id });
    await stage.reopen();
    for (const id of names) expect((await stage.host.get(id)).id).toBe(id);
    expect((await stage.host.list({}, { limit: 100 })).items).toHaveLength(names.length);
  });

  fact('the longest id holds a conversation', async (stage) => {
    const id = 'x'.repeat(200);
    await stage.greeted(id, 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.agent.answer('Good.');
    await stage.reaches(id, 'WAITING_FOR_REPLY');
    expect(await stage.host.intervene(id, 'A note.')).toMatchObject({ accepted: true });
    expect(stage.channel.texts).toEqual([`Hello from ${id}.`, 'Good.', 'A note.']);
  });

  fact('the longest id has children as deep as any other', async (stage) => {
    await stage.reopen({ definitionOf: (agent) => (agent === 'first' ? 'job' : undefined) });
    await stage.host.start('job', { id: 'x'.repeat(200) });
    const ids = async () => (await stage.host.list({}, { limit: 100 })).items.map(({ id }) => id);
    await until(async () => (await ids()).length === 17, 'all children');
    const deepest = (await ids()).at(-1)!;
    await until(async () => (await stage.host.get(deepest)).ended, 'the deepest to end');
    expect((await stage.host.get(deepest)).lifecycle['failure_reason']).toContain('16 levels deep');
  });

  fact('H8: any text is a message', async (stage) => {
    await stage.greeted('a', 'ada');
    for (const text of names) await stage.host.receive({ contact: 'ada', text });
    await stage.reopen();
    const said = await stage.said('a');
    for (const text of names) expect(said).toContain(`contact: ${text}`);
  });

  fact('H8: events that only a host may send are refused from outside', async (stage) => {
    await stage.greeted('a', 'ada');
    const before = await stage.host.get('a');
    for (const type of ['agent.ended', 'turn.ended', 'manual_send', 'prior_instance_terminal'])
      await expect(stage.host.send('a', { type })).rejects.toMatchObject({
        code: 'host/bad-request',
      });
    for (const type of ['', '*', 'xstate.stop', 'xstate.done.actor.timer'])
      await expect(stage.host.send('a', { type })).rejects.toMatchObject({
        code: 'host/bad-request',
      });
    expect(await stage.host.get('a')).toEqual(before);
  });

  fact('H8: invalid input is refused with a message', async (stage) => {
    await stage.greeted('a', 'ada');
    const { host } = stage;
    for (const event of [
      { type: 'message.received' },
      { type: 'message.received', text: '' },
      { type: 'message.received', text: 7 },
      { type: 'message.received', text: 'x'.repeat(200_000) },
      { type: 'toString' },
    ])
      expect(await host.send('a', event)).toMatchObject({
        accepted: false,
        because: expect.stringMatching(/\.$/) as string,
      });
    for (const id of ['', ' ', '.', '..', 'x'.repeat(201), 'definition:chat', 'host:alive'])
      await expect(host.start('chat', { id })).rejects.toMatchObject({ code: 'host/bad-request' });
    await expect(host.start('chat', { contact: ' ' })).rejects.toMatchObject({
      code: 'host/bad-request',
    });
    for (const at of [undefined, null, {}, { checkpoint: undefined }, { checkpoint: '' }])
      await expect(host.fork('a', at as never)).rejects.toMatchObject({
        code: 'host/bad-request',
        message: expect.stringMatching(/"step", or at a "checkpoint"/) as string,
      });
    for (const read of ['transcript', 'journal'] as const)
      await expect(host[read]('a', undefined as never)).rejects.toMatchObject({
        code: 'store/bad-request',
        message: expect.stringMatching(/\{ from, limit \}/) as string,
      });
    await expect(host.start('chat', { channel: 'pigeon' })).rejects.toThrow(/pigeon.*main/);
    await expect(
      host.start('chat', { lifecycleInput: { heartbeat_config: { interval_ms: 3_000_000_000 } } }),
    ).rejects.toThrow(/interval_ms/);
    expect((await host.list()).items).toHaveLength(1);
  });
}
