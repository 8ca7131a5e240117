import type { Chart } from '@dramaturg/compiler';
import { expect } from 'vitest';
import type { Definition } from '@dramaturg/host';
import { rehearsalCharts } from './rehearsal.ts';
import { aWhile, type Fact, type HostStage, until } from './stage.ts';

/** Longer than any test. */
const never = 3_600_000;

/** A conversation whose timers pause while no host runs. */
function still({ lifecycles }: HostStage): Definition {
  const lifecycle = JSON.stringify(lifecycles.conversation)
    .replaceAll('"restart_timer":"deadline"', '"restart_timer":"remaining"')
    .replaceAll('"restart":"deadline"', '"restart":"remaining"');
  return { name: 'chat', chart: rehearsalCharts.chat, lifecycle: JSON.parse(lifecycle) as Chart };
}

/** Stops the host for this many milliseconds. */
async function leave({ host }: HostStage, away: number): Promise<void> {
  await host.stop({ within: 0 });
  await new Promise((resolve) => setTimeout(resolve, away));
}

/** Reminders, by timers that are stored. */
export function heartbeat(fact: Fact): void {
  fact('a contact who is silent is reminded, and then left alone', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: 40, max_followups: 2 });
    await stage.agent.answer('Are you there?');
    await stage.agent.answer('Still there?');
    await stage.reaches('a', 'ABANDONED');
    expect(await stage.said('a')).toEqual([
      'agent: Hello from a.',
      'agent: Are you there?',
      'agent: Still there?',
    ]);
    expect(stage.agent.made).toHaveLength(3);
  });

  fact('an answer in time stops the reminder', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: never, max_followups: 2 });
    expect((await stage.host.get('a')).dueAt).toBeDefined();
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    expect((await stage.host.get('a')).dueAt).toBeUndefined();
    await stage.answers('a', 'Good.');
    expect((await stage.host.get('a')).dueAt).toBeDefined();
  });

  fact('H5: a restart changes nothing about when a timer is due', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: never, max_followups: 1 });
    const { dueAt } = await stage.host.get('a');
    await stage.reopen();
    expect((await stage.host.get('a')).dueAt).toBe(dueAt);
  });

  fact('H5: a timer that was set before a restart fires after it, once', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: 150, max_followups: 1 });
    await stage.reopen();
    await stage.agent.answer('Are you there?');
    await until(() => stage.channel.texts.includes('Are you there?'), 'the reminder');
    expect(stage.channel.texts).toEqual(['Hello from a.', 'Are you there?']);
  });

  fact('H5: timers that became due while no host ran fire first, in due order', async (stage) => {
    const ids = ['c', 'a', 'b'];
    for (const id of ids) await stage.greeted(id, id, { interval_ms: 6_000, max_followups: 9 });
    const { dueAt } = await stage.host.get('b');
    await stage.host.stop({ within: 0 });
    await until(() => Date.now() > dueAt!, 'the last of them to be due');
    const made = stage.agent.made.length;
    await stage.open();
    await until(() => stage.agent.made.length === made + 3, 'three reminders');
    expect(stage.agent.made.slice(made).map((key) => key.slice(0, 1))).toEqual(ids);
  });

  fact(
    'a wait is suspended while no host runs, also with events before it receives the restart',
    async (stage) => {
      const job = { name: 'job', chart: rehearsalCharts.job, lifecycle: stage.lifecycles.workflow };
      await stage.reopen({ definitions: [still(stage), job] });
      const ids = ['a', 'b', 'c'];
      // So long that a slow host handles all instances in time, before and after the pause.
      const interval_ms = 6_000;
      for (const id of ids) await stage.greeted(id, id, { interval_ms, max_followups: 1 });
      const views = () => Promise.all(ids.map((id) => stage.host.get(id)));
      await stage.host.start('job', { id: 'j' });
      await stage.agent.next();
      const before = await views();
      await leave(stage, interval_ms);
      const { reply } = stage.agent.ports;
      // The answer of the job comes immediately, and sets a timer that is due immediately.
      const runAgent = () => ({ result: 'done' });
      await stage.open({ definitions: [], ports: { ...(reply ? { reply } : {}), runAgent } });
      expect(await stage.host.settle()).toBe(true);
      for (const [index, { dueAt }] of (await views()).entries())
        expect(dueAt).toBeGreaterThan(before[index]!.dueAt! + interval_ms / 2);
    },
  );

  fact(
    'a wait is suspended while no host runs, also for a definition that was added at run time',
    async (stage) => {
      await stage.reopen({ definitions: [] });
      await stage.host.define(still(stage));
      await stage.greeted('a', 'ada', { interval_ms: never, max_followups: 1 });
      const { dueAt } = await stage.host.get('a');
      await leave(stage, 500);
      await stage.open({ definitions: [] });
      expect(await stage.host.settle()).toBe(true);
      expect((await stage.host.get('a')).dueAt).toBeGreaterThan(dueAt! + 250);
    },
  );

  fact('a pause keeps what remained of the wait', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: never, max_followups: 1 });
    const { dueAt } = await stage.host.get('a');
    const pausedFrom = Date.now();
    await stage.host.pause('a');
    expect((await stage.host.get('a')).dueAt).toBeUndefined();
    await aWhile();
    await stage.host.resume('a');
    const after = (await stage.host.get('a')).dueAt!;
    expect(after).toBeGreaterThan(dueAt!);
    expect(after).toBeLessThanOrEqual(dueAt! + Date.now() - pausedFrom);
  });

  fact('a reminder that fails is not counted', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: 30, max_followups: 5 });
    await stage.agent.fail('no network');
    await stage.agent.next();
    expect((await stage.host.get('a')).lifecycle).toMatchObject({
      follow_up_count: 0,
      failure_streak: 1,
    });
  });
}
