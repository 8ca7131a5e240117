import type { Json } from '@dramaturg/compiler';
import { expect } from 'vitest';
import type { HostEvent } from '@dramaturg/host';
import { aWhile, type Fact, until } from './stage.ts';

/** Runs that work, wait and ask. */
export function workflows(fact: Fact): void {
  fact('a workflow works, waits, asks and works again', async (stage) => {
    await stage.host.start('job', { id: 'j', input: { wait: 20 } });
    expect((await stage.agent.finish('first result')).input.agent).toBe('first');
    await until(async () => (await stage.host.get('j')).flow === 'asking', 'the question');
    const answer = await stage.host.send('j', {
      type: 'decision.made',
      decision: 'yes',
      by: 'ada',
    });
    expect(answer).toMatchObject({ accepted: true });
    const call = await stage.agent.finish('second result');
    expect(call.input).toMatchObject({ agent: 'second', input: { decision: 'yes', by: 'ada' } });
    await stage.reaches('j', 'COMPLETED');
  });

  fact(
    'H4: a restart at any point of a workflow repeats nothing that was answered',
    async (stage) => {
      await stage.host.start('job', { id: 'j', input: { wait: 20 } });
      await stage.agent.next();
      await stage.reopen();
      stage.agent.forget();
      await stage.reopen();
      await stage.agent.finish('first result');
      await stage.reopen();
      await until(async () => (await stage.host.get('j')).flow === 'asking', 'the question');
      await stage.reopen();
      await stage.host.send('j', { type: 'decision.made', decision: 'yes' });
      await stage.reopen();
      await stage.agent.finish('second result');
      await stage.reaches('j', 'COMPLETED');
      expect(new Set(stage.agent.made)).toEqual(new Set(['j/first', 'j/second']));
      expect(stage.agent.made.indexOf('j/second')).toBe(
        stage.agent.made.lastIndexOf('j/first') + 1,
      );
    },
  );

  fact(
    'H9: work that waits for nothing is continued after a restart at any point',
    async (stage) => {
      await stage.host.start('crowd', { id: 'c' });
      await stage.reopen();
      await stage.reopen();
      await stage.reaches('c', 'COMPLETED');
    },
  );

  fact('a workflow that fails says why', async (stage) => {
    await stage.host.start('job', { id: 'j' });
    await stage.agent.fail('out of paper');
    await stage.reaches('j', 'FAILED');
    expect((await stage.host.get('j')).lifecycle['failure_reason']).toContain('out of paper');
  });

  fact('a paused workflow receives neither answers nor timers', async (stage) => {
    const flowOf = async (id: string) => (await stage.host.get(id)).flow;
    const isEither = (flow: Json) => flow === 'waiting' || flow === 'asking';
    // A wait that ends before the pause is stored proves nothing, so longer waits are tried.
    for (let wait = 20; ; wait *= 3) {
      const id = `waits ${wait}`;
      await stage.host.start('job', { id, input: { wait } });
      await stage.agent.finish('first result');
      await until(async () => isEither(await flowOf(id)), 'the wait');
      await stage.host.pause(id);
      if ((await flowOf(id)) !== 'waiting') continue;
      for (const paused = Date.now(); Date.now() < paused + wait;) await aWhile();
      expect(await flowOf(id)).toBe('waiting');
      await stage.host.resume(id);
      return until(async () => (await flowOf(id)) === 'asking', 'the question');
    }
  });

  fact('a decision that nobody asked for is refused', async (stage) => {
    await stage.host.start('job', { id: 'j' });
    const answer = await stage.host.send('j', { type: 'decision.made', decision: 'yes' });
    expect(answer).toMatchObject({ accepted: false, because: 'Nothing waits for a decision.' });
  });

  fact('every event of a child has its ancestors, also a delivery', async (stage) => {
    await stage.reopen({ definitionOf: (agent) => (agent === 'first' ? 'chat' : undefined) });
    const seen: HostEvent[] = [];
    const collect = async () => {
      for await (const event of stage.host.events({ instance: 'j', descendants: true }))
        if (event.instance !== 'j') seen.push(event);
    };
    const collected = collect();
    await stage.host.start('job', { id: 'j', contact: 'ada' });
    await stage.agent.answer('Hello.');
    const isDelivered = () => seen.some(({ event }) => event.type === 'message.delivered');
    await until(isDelivered, 'the event of the delivery');
    expect(seen.map(({ within }) => within)).toEqual(seen.map(() => ['j']));
    await stage.host.stop({ within: 0 });
    await collected;
  });
}
