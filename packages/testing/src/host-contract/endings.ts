import { expect } from 'vitest';
import { aWhile, type Fact } from './stage.ts';

/** Instances that have ended. */
export function endings(fact: Fact): void {
  fact('H7: an instance that has ended accepts nothing, and says so', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.cancel('a');
    const before = await stage.host.get('a');
    const { host } = stage;
    for (const answer of [
      await host.pause('a'),
      await host.resume('a'),
      await host.cancel('a'),
      await host.intervene('a', 'Hello?'),
      await host.send('a', { type: 'message.received', text: 'Hello?' }),
    ]) {
      expect(answer).toMatchObject({ accepted: false, state: 'FAILED' });
      expect(answer.accepted ? '' : answer.because).toContain('has ended');
    }
    expect(await host.receive({ contact: 'ada', text: 'Hello?' })).toMatchObject({
      instance: null,
      code: 'host/no-holder',
    });
    await aWhile();
    expect(await host.get('a')).toEqual(before);
    expect(stage.channel.texts).toEqual(['Hello from a.']);
  });

  fact('H7: an ended instance accepts nothing after a restart either', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.cancel('a');
    await stage.reopen();
    expect(await stage.host.resume('a')).toMatchObject({ accepted: false, state: 'FAILED' });
  });

  fact('an id is used once, also after its instance has ended', async (stage) => {
    await stage.greeted('a', 'ada');
    await expect(stage.host.start('chat', { id: 'a' })).rejects.toMatchObject({
      code: 'host/exists',
    });
    expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
    await stage.host.cancel('a');
    await expect(stage.host.start('chat', { id: 'a' })).rejects.toMatchObject({
      code: 'host/exists',
    });
  });

  fact('an instance may be addressed while it is being started', async (stage) => {
    const { host } = stage;
    const pausing = host.pause('a').catch((error: unknown) => error);
    const [started, again] = await Promise.allSettled([
      host.start('chat', { id: 'a', contact: 'ada' }),
      host.start('chat', { id: 'a', contact: 'bob' }),
    ]);
    expect([started.status, again.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    await pausing;
    expect(await host.pause('a')).toMatchObject({ state: 'PAUSED' });
    expect(await host.resume('a')).toMatchObject({ accepted: true });
    await stage.agent.answer('Hello.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    expect(stage.trouble).toEqual([]);
  });

  fact('an unknown instance is reported as unknown', async ({ host }) => {
    await expect(host.pause('nobody')).rejects.toMatchObject({ code: 'host/unknown-instance' });
    await expect(host.get('nobody')).rejects.toMatchObject({ code: 'host/unknown-instance' });
  });

  fact('an erase finds a copy after another fork with its id was refused', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.greeted('b', 'bob');
    const { host } = stage;
    await host.fork('a', { step: 1, id: 'copy' });
    for (const id of ['copy', 'b'])
      await expect(host.fork('a', { step: 1, id })).rejects.toMatchObject({ code: 'host/exists' });
    await Promise.allSettled(
      [1, 1, 1].map((step) => host.fork('a', { step, id: 'made at the same time' })),
    );
    expect(await host.erase({ contact: 'ada', running: 'end' })).toMatchObject({ instances: 3 });
    expect((await host.list()).items.map(({ id }) => id)).toEqual(['b']);
  });
}
