import { type Json, PortError } from '@dramaturg/compiler';
import type { HostEvent } from '@dramaturg/host';
import { expect } from 'vitest';
import { aWhile, type Fact, type HostStage, until } from './stage.ts';

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

const types = ['call.started', 'call.ended', 'turn.ended'];

type Line = { readonly source: string; readonly event: { readonly type: string } };

/** The recorded events of calls and of ends of turns, without the chart's ids of calls and without names of turns. */
async function courseOf({ host }: HostStage, id: string): Promise<unknown[]> {
  const lines = (await host.journal(id, { from: 0, limit: 1_000 })) as unknown as Line[];
  return lines
    .filter(({ source, event }) => source === 'host' && types.includes(event.type))
    .map(({ event }) => {
      const {
        invocation: _,
        turn: _turn,
        ...rest
      } = event as Line['event'] & {
        readonly invocation?: string;
        readonly turn?: string;
      };
      return rest;
    });
}

const started = (port: string, key: string, more: object = {}) => ({
  type: 'call.started',
  port,
  key,
  ...more,
});
const ended = (port: string, key: string, outcome = 'answered', more: object = {}) => ({
  type: 'call.ended',
  port,
  key,
  outcome,
  ...more,
});
const turnEnded = { type: 'turn.ended', outcome: 'completed' };

/** The events of calls: each call begins once and ends once. */
export function callEvents(fact: Fact): void {
  fact('a call is reported when it is decided, and when it is answered', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.next();
    expect(await courseOf(stage, 'a')).toEqual([started('reply', 'a/0/reply')]);
    await stage.answers('a', 'Hello.');
    expect(await courseOf(stage, 'a')).toEqual([
      started('reply', 'a/0/reply'),
      ended('reply', 'a/0/reply'),
      turnEnded,
    ]);
  });

  fact('H4: a call that is repeated after a restart is reported once', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.next();
    stage.agent.forget();
    await stage.reopen();
    await stage.answers('a', 'Hello.');
    expect(await courseOf(stage, 'a')).toEqual([
      started('reply', 'a/0/reply'),
      ended('reply', 'a/0/reply'),
      turnEnded,
    ]);
  });

  fact('a failed call says why, and so does its turn', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.fail(new PortError('port/refused', 'reply', 'A wrong key.'));
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    const failed = { error: 'port/refused', because: 'A wrong key.' };
    expect(await courseOf(stage, 'a')).toEqual([
      started('reply', 'a/0/reply'),
      ended('reply', 'a/0/reply', 'failed', failed),
      { type: 'turn.ended', outcome: 'failed', because: 'A wrong key. (port/failed)' },
    ]);
  });

  fact('a question to a person is a call with the id of the decision', async (stage) => {
    await stage.host.start('job', { id: 'j' });
    await stage.agent.finish('first');
    await until(async () => (await stage.host.get('j')).flow === 'asking', 'the question');
    const { id, key } = (await stage.host.get('j')).decisions[0]!;
    expect((await courseOf(stage, 'j')).slice(2)).toEqual([
      started('requestDecision', key, { decision: id }),
    ]);
    await stage.host.send('j', { type: 'decision.made', decision: 'yes' });
    await stage.agent.next();
    expect((await courseOf(stage, 'j'))[3]).toEqual(
      ended('requestDecision', key, 'answered', { decision: 'yes' }),
    );
  });

  fact('what is sent within a trace is reported with it, and nothing else is', async (stage) => {
    const trace = (last: string) => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b${last}-01`;
    await stage.host.start('chat', { id: 'a', contact: 'ada', traceparent: trace('1') });
    await stage.answers('a', 'Hello.');
    const message = { contact: 'ada', text: 'Hi.', id: 'm1' };
    await stage.host.receive({ ...message, traceparent: trace('2') });
    await stage.answers('a', 'Yes?');
    // The repetition changes nothing.
    await stage.host.receive({ ...message, traceparent: trace('3') });
    await stage.host.receive({ contact: 'ada', text: 'Hello?' });
    const lines = (await stage.host.journal('a', { from: 0, limit: 99 })) as unknown as Line[];
    expect(lines.map(({ event }) => event).filter(({ type }) => type === 'trace.linked')).toEqual([
      { type: 'trace.linked', of: 'start', traceparent: trace('1') },
      { type: 'trace.linked', of: 'message', traceparent: trace('2') },
    ]);
  });

  fact('the call for a reminder is reported, and ends when the contact writes', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: 40, max_followups: 2 });
    const reminder = await stage.agent.next();
    expect((await courseOf(stage, 'a')).slice(3)).toEqual([started('reply', reminder.key)]);
    await stage.host.pause('a');
    expect((await courseOf(stage, 'a')).slice(4)).toEqual([
      ended('reply', reminder.key, 'abandoned'),
    ]);
  });
}
