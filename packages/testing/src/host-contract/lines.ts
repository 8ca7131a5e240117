import { expect } from 'vitest';
import { aWhile, type Fact } from './stage.ts';

/** One conversation at a time with each contact. */
export function lines(fact: Fact): void {
  fact('a second instance for a contact waits until the first has ended', async (stage) => {
    await stage.greeted('a', 'ada');
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

  fact('instances for other contacts do not wait', async (stage) => {
    await stage.greeted('a', 'ada');
    expect(await stage.host.start('chat', { id: 'b', contact: 'bob' })).toMatchObject({
      state: 'ACTIVE',
    });
  });

  fact('cancelling a waiting instance starts no other', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.start('chat', { id: 'b', contact: 'ada' });
    await stage.host.start('chat', { id: 'c', contact: 'ada' });
    await stage.host.cancel('b');
    await aWhile();
    expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
    expect(await stage.stateOf('c')).toBe('QUEUED');
  });

  fact(
    'an instance paused in the contact queue is skipped, and waits again when resumed',
    async (stage) => {
      await stage.greeted('a', 'ada');
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

  fact(
    'an instance resumed in the contact queue starts at once when the contact is free',
    async (stage) => {
      await stage.greeted('a', 'ada');
      await stage.host.start('chat', { id: 'b', contact: 'ada' });
      await stage.host.pause('b');
      await stage.host.cancel('a');
      await stage.host.resume('b');
      await stage.reaches('b', 'ACTIVE');
    },
  );

  fact('a paused holder keeps the contact', async (stage) => {
    await stage.greeted('a', 'ada');
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

  fact('the contact queue is the same after a restart', async (stage) => {
    await stage.greeted('a', 'ada');
    for (const id of ['b', 'c']) await stage.host.start('chat', { id, contact: 'ada' });
    await stage.reopen();
    await stage.host.cancel('a');
    await stage.reaches('b', 'ACTIVE');
    expect(await stage.stateOf('c')).toBe('QUEUED');
  });
}
