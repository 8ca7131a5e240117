import { compile } from '@dramaturg/compiler';
import { createHost, type ManualClock, manualClock, memoryStore } from '@dramaturg/host';
import { HostStage, until } from '@dramaturg/testing';
import { conversationLifecycle, lifecycle } from '@dramaturg/lifecycle';
import { afterEach, describe, expect, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';

/** Long waits, times without a host and changes of the clock. Numbers refer to the cases of the specification. */

const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 0, 5, 9);

let stage: ClockedStage;

/** A stage on a clock that the test sets. */
class ClockedStage extends HostStage {
  readonly clock: ManualClock;

  constructor(clock: ManualClock, policies: object = {}) {
    const store = memoryStore();
    const { heartbeat } = conversationLifecycle.policies!;
    const definition = {
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, heartbeat: { ...heartbeat, ...policies } },
    };
    const { chart } = compile(JSON.stringify(definition), { formats: [lifecycle] });
    super(
      { open: (options) => createHost({ ...options, store, clock }) },
      { ...lifecycles, conversation: chart! },
    );
    this.clock = clock;
  }

  /** Advances the clock from timer to timer, and lets the host finish its work after each. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.clock.now() + milliseconds;
    for (;;) {
      await quiet();
      const dues = (await this.host.list()).items.flatMap(({ dueAt }) => dueAt ?? []);
      const next = Math.min(end, ...dues);
      this.clock.set(Math.max(next, this.clock.now()));
      await quiet();
      if (this.clock.now() >= end) return;
    }
  }

  /** Stops the host, lets time pass and starts it again. */
  async sleep(milliseconds: number): Promise<void> {
    await this.host.stop({ within: 0 });
    this.clock.set(this.clock.now() + milliseconds);
    await this.open();
    await quiet();
  }

  async minutesLeft(id: string): Promise<number | undefined> {
    const { dueAt } = await this.host.get(id);
    return dueAt === undefined ? undefined : (dueAt - this.clock.now()) / minute;
  }

  /** The agent answers every call with the same text. */
  async talkative(): Promise<void> {
    await this.host.stop({ within: 0 });
    this.agent.forget();
    await this.open({ ports: { reply: () => ({ text: 'Are you there?' }) } });
  }
}

/** Waits until all events are handled. A host in memory needs only the event loop. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function opened(policies: object = {}): Promise<ClockedStage> {
  stage = new ClockedStage(manualClock({ startAt: start }), policies);
  await stage.open();
  return stage;
}

async function waiting(policies: object = {}): Promise<ClockedStage> {
  await opened(policies);
  await stage.greeted('a', 'ada');
  return stage;
}

afterEach(() => stage.host.stop({ within: 0 }));

describe('reminders', () => {
  test('L18: five reminders follow half an hour apart, and the sixth wait ends the conversation', async () => {
    await waiting();
    await stage.talkative();
    for (let count = 1; count <= 5; count += 1) {
      await stage.pass(29 * minute);
      expect(stage.channel.taken).toHaveLength(count);
      await stage.pass(minute);
      expect(stage.channel.taken).toHaveLength(count + 1);
    }
    await stage.pass(29 * minute);
    expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
    await stage.pass(minute);
    expect(await stage.stateOf('a')).toBe('ABANDONED');
  });

  test('L29: a pause keeps the remaining wait', async () => {
    await waiting();
    await stage.pass(18 * minute);
    await stage.host.pause('a');
    await stage.pass(5 * hour);
    await stage.host.resume('a');
    expect(await stage.minutesLeft('a')).toBe(12);
  });

  test('L30: with the policy restart the wait begins again', async () => {
    await waiting({ resume_timer: 'restart' });
    await stage.pass(18 * minute);
    await stage.host.pause('a');
    await stage.host.resume('a');
    expect(await stage.minutesLeft('a')).toBe(30);
  });

  test('with the policy deadline a pause does not move the deadline, and a missed one fires at once', async () => {
    await waiting({ resume_timer: 'deadline' });
    await stage.host.pause('a');
    await stage.pass(hour);
    expect(stage.agent.open).toHaveLength(0);
    await stage.host.resume('a');
    await quiet();
    expect(await stage.stateOf('a')).toBe('HEARTBEAT_SCHEDULED');
  });

  test('L42: a message by hand restarts the wait', async () => {
    await waiting();
    await stage.pass(20 * minute);
    await stage.host.intervene('a', 'A note.');
    expect(await stage.minutesLeft('a')).toBe(30);
  });

  test('L08: a paused holder keeps the contact', async () => {
    await waiting();
    await stage.host.start('chat', { id: 'b', contact: 'ada' });
    await stage.host.pause('a');
    await stage.pass(240 * hour);
    expect(await stage.stateOf('b')).toBe('QUEUED');
  });
});

describe('after a time without a host', () => {
  test('L45: an unfinished wait continues to its deadline', async () => {
    await waiting();
    await stage.pass(20 * minute);
    await stage.sleep(4 * minute);
    expect(await stage.minutesLeft('a')).toBe(6);
  });

  test('L46: an overdue reminder fires once, and the next wait begins then', async () => {
    await waiting();
    await stage.pass(20 * minute);
    await stage.sleep(3 * hour);
    await stage.agent.answer('Are you there?');
    await until(() => stage.channel.taken.length === 2, 'the reminder');
    expect(await stage.minutesLeft('a')).toBe(30);
    expect((await stage.host.get('a')).lifecycle).toMatchObject({ follow_up_count: 1 });
  });

  test('L49: a restart keeps the remaining wait of a pause', async () => {
    await waiting();
    await stage.pass(18 * minute);
    await stage.host.pause('a');
    await stage.sleep(3 * hour);
    await stage.host.resume('a');
    expect(await stage.minutesLeft('a')).toBe(12);
  });

  test('with the policy remaining the wait pauses while no host runs', async () => {
    await waiting({ restart_timer: 'remaining' });
    await stage.pass(20 * minute);
    await stage.sleep(3 * hour);
    expect(await stage.minutesLeft('a')).toBe(10);
  });

  test('with the policy restart the wait begins again', async () => {
    await waiting({ restart_timer: 'restart' });
    await stage.pass(20 * minute);
    await stage.sleep(3 * hour);
    expect(await stage.minutesLeft('a')).toBe(30);
  });
});

describe('a clock that is changed', () => {
  test('forward: due timers fire once', async () => {
    await waiting();
    stage.clock.set(stage.clock.now() + 10 * hour);
    await quiet();
    expect(stage.agent.made).toHaveLength(2);
    await stage.agent.answer('Are you there?');
    await quiet();
    expect(await stage.minutesLeft('a')).toBe(30);
  });

  test('back: no timer fires early or twice', async () => {
    await waiting();
    await stage.pass(20 * minute);
    stage.clock.set(stage.clock.now() - 2 * hour);
    await quiet();
    expect(await stage.minutesLeft('a')).toBe(130);
    await stage.pass(129 * minute);
    expect(stage.agent.made).toHaveLength(1);
    await stage.pass(minute);
    expect(stage.agent.made).toHaveLength(2);
  });

  test('back, while a reminder is pending: a pause does not make the wait longer than before', async () => {
    await waiting();
    stage.clock.set(stage.clock.now() - 2 * hour);
    await stage.host.pause('a');
    await stage.host.resume('a');
    expect(await stage.minutesLeft('a')).toBe(30);
  });

  test('back: started instances keep their order', async () => {
    await opened();
    for (const id of ['a', 'b', 'c']) {
      await stage.host.start('chat', { id, contact: 'ada' });
      stage.clock.set(stage.clock.now() - hour);
    }
    await stage.host.cancel('a');
    await quiet();
    expect(await stage.stateOf('b')).toBe('ACTIVE');
    expect(await stage.stateOf('c')).toBe('QUEUED');
  });
});
