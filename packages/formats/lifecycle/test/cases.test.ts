import { InputError } from '@dramaturg/compiler';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { LifecycleEvent } from '../src/index.ts';
import { hours, minutes } from './clock.ts';
import { Office, type OfficeOptions } from './office.ts';
import {
  active,
  flagged,
  followingUp,
  followUp,
  line,
  replying,
  waiting as waitingOf,
} from './steps.ts';

/**
 * The behavioural cases of the specification, by number. Each is played twice: straight, and with every actor persisted,
 * dropped and restored after each event. Deviations are named in the test and in
 * docs/formats/lifecycle.md#decisions.
 */
describe.each([
  ['straight', false],
  ['recovered after every event', true],
])('%s', (_, recovering) => {
  const options = (policies: OfficeOptions['policies'] = {}): OfficeOptions => ({
    recovering,
    policies,
  });
  const heartbeat = (chosen: NonNullable<OfficeOptions['policies']>['heartbeat']) =>
    options({ heartbeat: chosen });
  const whenAvailable = options({ pick_up: 'when_available' });

  describe('the contact queue', () => {
    test('L01: an instance is created and its first turn begins', async () => {
      const { a } = await active(options());
      expect(a.way).toEqual(['CREATED', 'ACTIVE']);
      expect(a.events('turn.started')).toMatchObject([{ kind: 'first', messages: 0 }]);
    });

    test('L02: an instance is queued while another holds the contact', async () => {
      const { instances } = await line(options(), 'B');
      const [, b] = instances;
      expect(b!.way).toEqual(['QUEUED']);
      expect(b!.events('turn.started')).toEqual([]);
    });

    test('L03: when the holder ends, only the next in the queue begins', async () => {
      const { office, instances } = await line(options(), 'B', 'C');
      const [a, b, c] = instances;
      await office.agent('A').ends('done');
      await office.agent('A').finishes();
      expect(a!.state).toBe('COMPLETED');
      expect(b!.way).toEqual(['QUEUED', 'CREATED', 'ACTIVE']);
      expect(c!.state).toBe('QUEUED');
    });

    test('L04: cancelling a queued instance starts no other', async () => {
      const { office, instances } = await line(options(), 'B', 'C');
      const [a, b, c] = instances;
      await office.send('B', { type: 'cancel' });
      expect(b!.output).toMatchObject({ state: 'FAILED', failure_reason: 'cancelled' });
      expect(a!.state).toBe('ACTIVE');
      expect(c!.state).toBe('QUEUED');
    });

    /** B is paused in the queue, A has ended, and D was created. */
    const l05 = async () => {
      const { office, instances } = await line(options(), 'B');
      await office.send('B', { type: 'pause' });
      await office.send('A', { type: 'cancel' });
      return { office, b: instances[1]!, d: await office.create('D') };
    };

    test('L05: an instance paused in the queue does not hold the contact', async () => {
      const { b, d } = await l05();
      expect(b.context).toMatchObject({ state: 'PAUSED', previous_state: 'QUEUED' });
      expect(d.way).toEqual(['CREATED', 'ACTIVE']);
    });

    test('L06: once resumed it waits until the current holder ends', async () => {
      const { office, b, d } = await l05();
      await office.send('B', { type: 'resume' });
      expect(b.state).toBe('QUEUED');
      expect(d.state).toBe('ACTIVE');
    });

    test('L07: once resumed it begins when the contact is free', async () => {
      const { office, instances } = await line(options(), 'B');
      await office.send('B', { type: 'pause' });
      await office.agent('A').ends('done');
      await office.agent('A').finishes();
      expect(instances[1]!.state).toBe('PAUSED');
      await office.send('B', { type: 'resume' });
      expect(instances[1]!.way).toEqual(['QUEUED', 'PAUSED', 'QUEUED', 'CREATED', 'ACTIVE']);
    });

    test('L08: a paused holder keeps the contact without limit', async () => {
      const { office, instances } = await line(options(), 'B');
      await office.send('A', { type: 'pause' });
      await office.clock.pass(hours(240));
      expect(instances.map(({ state }) => state)).toEqual(['PAUSED', 'QUEUED']);
    });
  });

  describe('turns', () => {
    test('L09: a turn that sends two messages moves the instance once', async () => {
      const { office, a } = await active(options());
      const agent = office.agent('A');
      await agent.says('Hello.');
      await agent.says('How are you?');
      expect(a.state).toBe('ACTIVE');
      await agent.finishes();
      expect(a.log.map(({ text }) => text)).toEqual(['Hello.', 'How are you?']);
      expect(a.way).toEqual(['CREATED', 'ACTIVE', 'WAITING_FOR_REPLY']);
      expect(office.clock.due).toEqual([30]);
    });

    test('L10: a first turn that sends nothing asks for a person', async () => {
      const { office, a } = await active(options());
      await office.agent('A').finishes();
      expect(a.context).toMatchObject({
        state: 'NEEDS_HUMAN_INTERVENTION',
        intervention_reason: 'agent sent nothing',
      });
    });

    test('L11: after a later turn that sends nothing, the heartbeat follows', async () => {
      const { office, a } = await replying(options());
      await office.agent('A').finishes();
      expect(a.state).toBe('WAITING_FOR_REPLY');
      expect(office.clock.due).toEqual([30]);
    });

    test('L12: the agent says goodbye and ends the conversation', async () => {
      const { office, a } = await replying(options());
      const agent = office.agent('A');
      await agent.says('Goodbye.');
      await agent.ends('done');
      expect(a.state).toBe('ACTIVE');
      await agent.finishes();
      expect(a.output).toMatchObject({ state: 'COMPLETED', end_reason: 'done' });
      expect(office.delivered).toEqual(['Hello.', 'Goodbye.']);
      expect(office.clock.due).toEqual([]);
    });

    test('L13: the agent asks for a person, and its reason is kept', async () => {
      const { office, a } = await flagged(options());
      expect(a.context).toMatchObject({
        state: 'NEEDS_HUMAN_INTERVENTION',
        intervention_reason: 'angry',
      });
      expect(office.clock.due).toEqual([]);
    });

    test('L14: a message that arrives during a turn is handled in the next one', async () => {
      const { office, a } = await active(options());
      await office.receive('c', 'm1');
      expect(a.events('turn.started')).toHaveLength(1);
      await office.agent('A').answers('Hello.');
      expect(a.way).toEqual(['CREATED', 'ACTIVE', 'WAITING_FOR_AGENT', 'ACTIVE']);
      const [, second] = a.events('turn.started');
      expect(a.textsOf(second!)).toEqual(['m1']);
    });

    test('L15: an answer stops the heartbeat and starts a turn', async () => {
      const { office, a } = await followingUp(options());
      await office.agent('A').answers('Are you there?');
      expect(a.context.follow_up_count).toBe(1);
      await office.receive('c', 'Yes?');
      expect(office.clock.due).toEqual([]);
      expect(a.way.slice(-3)).toEqual(['WAITING_FOR_REPLY', 'WAITING_FOR_AGENT', 'ACTIVE']);
      expect(a.context.follow_up_count).toBe(0);
    });

    test('L16: messages that arrive before the agent begins are handled in one turn, in order', async () => {
      const { office, a } = await active(whenAvailable);
      await office.send('A', { type: 'agent.available' });
      await office.agent('A').answers('Hello.');
      for (const text of ['one', 'two', 'three']) await office.receive('c', text);
      expect(a.state).toBe('WAITING_FOR_AGENT');
      await office.send('A', { type: 'agent.available' });
      const turns = a.events('turn.started');
      expect(turns).toHaveLength(2);
      expect(a.textsOf(turns[1]!)).toEqual(['one', 'two', 'three']);
    });
  });

  describe('the heartbeat', () => {
    test('L17: silence brings a follow-up, which is counted', async () => {
      const { office, a } = await waitingOf(options());
      await office.clock.pass(minutes(30));
      expect(a.state).toBe('HEARTBEAT_SCHEDULED');
      expect(a.events('turn.started').at(-1)).toMatchObject({ kind: 'follow_up' });
      await office.agent('A').answers('Are you there?');
      expect(a.context).toMatchObject({ state: 'WAITING_FOR_REPLY', follow_up_count: 1 });
      expect(office.clock.due).toEqual([30]);
    });

    test('L18: five follow-ups, and at the sixth expiry the instance is abandoned', async () => {
      const { office, a } = await waitingOf(options());
      const start = office.clock.now;
      const sent: number[] = [];
      for (let count = 1; count <= 5; count += 1) {
        await followUp(office);
        sent.push((office.clock.now - start) / minutes(1));
      }
      await office.clock.pass(minutes(30) - 1);
      expect(a.state).toBe('WAITING_FOR_REPLY');
      await office.clock.pass(1);
      expect(sent).toEqual([30, 60, 90, 120, 150]);
      expect(a.output).toMatchObject({ state: 'ABANDONED', follow_up_count: 5 });
      expect((office.clock.now - start) / minutes(1)).toBe(180);
      expect(office.delivered).toHaveLength(6);
    });

    test('L19: without follow-ups the first expiry abandons the instance', async () => {
      const { office, a } = await waitingOf(options(), { heartbeat_config: { max_followups: 0 } });
      await office.clock.pass(minutes(30));
      expect(a.state).toBe('ABANDONED');
      expect(office.delivered).toEqual(['Hello.']);
    });

    /** Five follow-ups, then the contact answers, and the agent replies. */
    const answeredAfterFive = async (policies: OfficeOptions) => {
      const { office, a } = await waitingOf(policies);
      for (let count = 1; count <= 5; count += 1) await followUp(office);
      await office.receive('c', 'Sorry.');
      await office.agent('A').answers('No matter.');
      return { office, a };
    };

    test('L20: after an answer there are five follow-ups again', async () => {
      const { office, a } = await answeredAfterFive(options());
      expect(a.context.follow_up_count).toBe(0);
      for (let count = 1; count <= 5; count += 1) await followUp(office);
      expect(a.context).toMatchObject({ state: 'WAITING_FOR_REPLY', follow_up_count: 5 });
      await office.clock.pass(minutes(30));
      expect(a.state).toBe('ABANDONED');
    });

    test('L21: not if follow-ups are counted over the whole conversation', async () => {
      const { office, a } = await answeredAfterFive(heartbeat({ budget: 'lifetime' }));
      await office.clock.pass(minutes(30));
      expect(a.output).toMatchObject({ state: 'ABANDONED', follow_up_count: 5 });
    });

    test('L22: the agent chooses the next delay only', async () => {
      const { office, a } = await active(options());
      const agent = office.agent('A');
      await agent.reschedules(minutes(1));
      await agent.answers('Hello.');
      expect(office.clock.due).toEqual([1]);
      await office.clock.pass(minutes(1));
      expect(a.state).toBe('HEARTBEAT_SCHEDULED');
      await office.agent('A').answers('Are you there?');
      expect(office.clock.due).toEqual([30]);
    });

    test('L23: of two delays the last one counts', async () => {
      const { office } = await active(options());
      const agent = office.agent('A');
      await agent.reschedules(1_000);
      await agent.reschedules(5_000);
      await agent.answers('Hello.');
      expect(office.clock.due).toEqual([5 / 60]);
    });

    test('L24: a follow-up turn may choose, too', async () => {
      const { office } = await followingUp(options());
      const agent = office.agent('A');
      await agent.reschedules(hours(2));
      await agent.answers('Are you there?');
      expect(office.clock.due).toEqual([120]);
    });

    test('L25: a message during a follow-up is answered after it', async () => {
      const { office, a } = await followingUp(options());
      await office.receive('c', 'Here.');
      expect(a.state).toBe('HEARTBEAT_SCHEDULED');
      await office.agent('A').answers('Are you there?');
      expect(a.way.slice(-3)).toEqual(['HEARTBEAT_SCHEDULED', 'WAITING_FOR_AGENT', 'ACTIVE']);
      expect(a.textsOf(a.events('turn.started').at(-1)!)).toEqual(['Here.']);
      expect(a.context.follow_up_count).toBe(0);
      expect(office.clock.due).toEqual([]);
    });

    test('L26: a follow-up turn may end the conversation', async () => {
      const { office, a } = await followingUp(options());
      await office.agent('A').ends('settled');
      await office.agent('A').finishes();
      expect(a.output).toMatchObject({ state: 'COMPLETED', end_reason: 'settled' });
    });

    test('L26, strict: a follow-up turn may not end the conversation', async () => {
      const { office, a } = await followingUp(options({ strict: true }));
      const answer = await office.agent('A').ends('settled');
      expect(answer.status).toBe(409);
      await office.agent('A').finishes();
      expect(a.state).toBe('WAITING_FOR_REPLY');
    });

    test('L27: a follow-up that fails is not counted', async () => {
      const { office, a } = await followingUp(options());
      await office.agent('A').fails('no network');
      expect(a.context).toMatchObject({
        state: 'WAITING_FOR_REPLY',
        follow_up_count: 0,
        failure_streak: 1,
      });
      expect(office.clock.due).toEqual([30]);
    });

    test('L28: three failed follow-ups in a row ask for a person', async () => {
      const { office, a } = await followingUp(options());
      for (let count = 1; count <= 3; count += 1) {
        await office.agent('A').fails('no network');
        if (count < 3) await office.clock.pass(minutes(30));
      }
      expect(a.context).toMatchObject({
        state: 'NEEDS_HUMAN_INTERVENTION',
        intervention_reason: 'no network',
        follow_up_count: 0,
      });
    });
  });

  describe('pause and resume', () => {
    /** 18 of 30 minutes, and then five hours of pause. */
    const paused = async (policies: OfficeOptions) => {
      const { office, a } = await waitingOf(policies);
      await office.clock.pass(minutes(18));
      await office.send('A', { type: 'pause' });
      expect(office.clock.due).toEqual([]);
      await office.clock.pass(hours(5));
      return { office, a };
    };

    test('L29: the heartbeat keeps its remaining time', async () => {
      const { office, a } = await paused(options());
      expect(a.context.frozen?.timer?.remaining_ms).toBe(minutes(12));
      await office.send('A', { type: 'resume' });
      expect(a.context).toMatchObject({ state: 'WAITING_FOR_REPLY', previous_state: null });
      expect(office.clock.due).toEqual([12]);
    });

    test('L30: or the heartbeat starts again', async () => {
      const { office } = await paused(heartbeat({ resume_timer: 'restart' }));
      await office.send('A', { type: 'resume' });
      expect(office.clock.due).toEqual([30]);
    });

    test('L30, deadline: or the heartbeat keeps its due time, which may be now', async () => {
      const { office, a } = await paused(heartbeat({ resume_timer: 'deadline' }));
      await office.send('A', { type: 'resume' });
      await office.clock.pass(0);
      expect(a.state).toBe('HEARTBEAT_SCHEDULED');
    });

    test.each(['remaining', 'restart'] as const)(
      'L30, %s: the heartbeat does not wait longer than its delay after the clock was set back',
      async (resume_timer) => {
        const { office } = await waitingOf(heartbeat({ resume_timer }));
        office.clock.passUnnoticed(-hours(1));
        await office.send('A', { type: 'pause' });
        await office.send('A', { type: 'resume' });
        expect(office.clock.due).toEqual([30]);
      },
    );

    test('L31: a message during a pause is answered after it', async () => {
      const { office, a } = await paused(options());
      await office.receive('c', 'Hello?');
      expect(a.state).toBe('PAUSED');
      expect(a.events('turn.started')).toHaveLength(1);
      await office.send('A', { type: 'resume' });
      expect(a.way.slice(-4)).toEqual([
        'PAUSED',
        'WAITING_FOR_REPLY',
        'WAITING_FOR_AGENT',
        'ACTIVE',
      ]);
      expect(a.textsOf(a.events('turn.started').at(-1)!)).toEqual(['Hello?']);
      expect(office.clock.due).toEqual([]);
    });

    test('L32: a turn that a pause stopped sends nothing more', async () => {
      const { office, a } = await replying(options());
      const agent = office.agent('A');
      await office.send('A', { type: 'pause' });
      const answer = await agent.says('Too late.');
      expect(answer).toMatchObject({ status: 409 });
      expect(office.delivered).toEqual(['Hello.']);
      expect(a.context).toMatchObject({ state: 'PAUSED', previous_state: 'ACTIVE' });
      expect(a.events('turn.aborted')).toEqual([{ type: 'turn.aborted', turn: agent.turn }]);
    });

    test('L33: after the pause a new turn begins, with the input of the stopped one', async () => {
      const { office, a } = await replying(options());
      const stale = office.agent('A');
      await office.send('A', { type: 'pause' });
      await office.send('A', { type: 'resume' });
      expect(a.state).toBe('ACTIVE');
      const turn = a.events('turn.started').at(-1)!;
      expect(turn).toMatchObject({ kind: 'resumed' });
      expect(turn.turn).not.toBe(stale.turn);
      expect(a.textsOf(turn)).toEqual(['Yes?']);
      expect(await stale.says('Too late.')).toMatchObject({
        status: 409,
        refusal: { because: `The turn "${stale.turn}" is over: now "${turn.turn}" runs.` },
      });
    });

    test('L34: a paused instance cannot be paused', async () => {
      const { office, a } = await waitingOf(options());
      await office.send('A', { type: 'pause' });
      expect((await office.send('A', { type: 'pause' })).status).toBe(409);
      expect(a.context).toMatchObject({ state: 'PAUSED', previous_state: 'WAITING_FOR_REPLY' });
    });

    test('L35: an instance that is not paused cannot be resumed, and the answer lists accepted events', async () => {
      const { office } = await active(options());
      const { status, refusal } = await office.send('A', { type: 'resume' });
      expect(status).toBe(409);
      expect(refusal).toMatchObject({ event: 'resume', state: 'ACTIVE' });
      expect(refusal!.accepts).toEqual(expect.arrayContaining(['pause', 'cancel', 'turn.ended']));
      expect(refusal!.accepts).not.toContain('resume');
    });

    test('L36: after a pause, an instance that waited for a person waits for one again', async () => {
      const { office, a } = await flagged(options());
      await office.send('A', { type: 'pause' });
      await office.send('A', { type: 'resume' });
      expect(a.state).toBe('NEEDS_HUMAN_INTERVENTION');
      await office.send('A', { type: 'resume' });
      expect(a.state).toBe('ACTIVE');
    });
  });

  describe('people', () => {
    test('L37: a person answers, and the agent continues with all messages', async () => {
      const { office, a } = await flagged(options());
      await office.receive('c', 'Hello?');
      expect(a.state).toBe('NEEDS_HUMAN_INTERVENTION');
      expect(await office.relaySend('A', 'hi')).toEqual({ status: 200 });
      expect(a.state).toBe('ACTIVE');
      expect(a.log.slice(-2)).toMatchObject([
        { role: 'contact', text: 'Hello?' },
        { role: 'manual', text: 'hi' },
      ]);
      expect(a.events('turn.started').at(-1)).toMatchObject({ kind: 'resumed' });
      expect(a.textsOf(a.events('turn.started').at(-1)!)).toEqual(['Hello?']);
    });

    test('L38: a message that the channel refuses changes nothing', async () => {
      const { office, a } = await flagged(options());
      office.channelIsDown = true;
      expect((await office.relaySend('A', 'hi')).status).toBe(503);
      expect(a.state).toBe('NEEDS_HUMAN_INTERVENTION');
      expect(a.log.map(({ role }) => role)).not.toContain('manual');
    });

    test('L39: a person returns the conversation, and the agent receives all messages since', async () => {
      const { office, a } = await flagged(options());
      await office.receive('c', 'one');
      await office.receive('c', 'two');
      await office.send('A', { type: 'resume' });
      expect(a.state).toBe('ACTIVE');
      expect(a.textsOf(a.events('turn.started').at(-1)!)).toEqual(['one', 'two']);
    });

    test('L42: a manual message restarts the heartbeat', async () => {
      const { office, a } = await waitingOf(options());
      await office.clock.pass(minutes(29));
      await office.relaySend('A', 'note');
      expect(office.delivered).toEqual(['Hello.', 'note']);
      expect(a.log.at(-1)).toMatchObject({ role: 'manual', text: 'note' });
      expect(a.way.at(-1)).toBe('WAITING_FOR_REPLY');
      expect(a.way).toHaveLength(3);
      expect(office.clock.due).toEqual([30]);
    });

    test('L42, during a follow-up: the follow-up is cancelled and not counted', async () => {
      const { office, a } = await followingUp(options());
      await office.relaySend('A', 'note');
      expect(a.context).toMatchObject({ state: 'WAITING_FOR_REPLY', follow_up_count: 0 });
      expect(a.events('turn.aborted')).toHaveLength(1);
      expect(office.clock.due).toEqual([30]);
      await office.clock.pass(minutes(30));
      expect(a.events('turn.started').at(-1)).toMatchObject({ kind: 'follow_up' });
    });

    test('L43: a manual message is possible during a pause', async () => {
      const { office, a } = await waitingOf(options());
      await office.send('A', { type: 'pause' });
      expect((await office.relaySend('A', 'note')).status).toBe(200);
      expect(office.delivered).toEqual(['Hello.', 'note']);
      expect(a.state).toBe('PAUSED');
    });

    test('L44: a manual message is refused in the queue: it would be a second conversation', async () => {
      const { office } = await line(options(), 'B');
      expect((await office.relaySend('B', 'note')).status).toBe(409);
      expect(office.delivered).toEqual([]);
    });
  });

  describe('the end', () => {
    /** Each state that is not terminal, with another instance in the queue. */
    const ways: Record<string, () => Promise<Office>> = {
      CREATED: async () => (await active(whenAvailable)).office,
      QUEUED: async () => {
        const office = new Office(options());
        await office.create('holder');
        await office.create('A');
        return office;
      },
      ACTIVE: async () => (await replying(options())).office,
      WAITING_FOR_REPLY: async () => (await waitingOf(options())).office,
      WAITING_FOR_AGENT: async () => {
        const { office } = await active(whenAvailable);
        await office.send('A', { type: 'agent.available' });
        await office.agent('A').answers('Hello.');
        await office.receive('c', 'Yes?');
        return office;
      },
      HEARTBEAT_SCHEDULED: async () => (await followingUp(options())).office,
      PAUSED: async () => {
        const { office } = await waitingOf(options());
        await office.send('A', { type: 'pause' });
        return office;
      },
      NEEDS_HUMAN_INTERVENTION: async () => (await flagged(options())).office,
    };

    test.each(Object.entries(ways))(
      'L40: an instance that is %s can be cancelled',
      async (state, way) => {
        const office = await way();
        const a = office.instances.get('A')!;
        expect(a.state).toBe(state);
        const held = a.context.holds_contact;
        const next = await office.create('next');
        const agent = office.agent('A');
        const delivered = [...office.delivered];
        await office.send('A', { type: 'cancel', reason: 'wrong number' });
        expect(a.output).toMatchObject({
          state: 'FAILED',
          failure_reason: 'cancelled',
          cancel_reason: 'wrong number',
        });
        await agent.says('Goodbye.');
        expect(office.delivered).toEqual(delivered);
        expect(office.clock.due).toEqual([]);
        expect(next.way).toContain(held ? 'CREATED' : 'QUEUED');
        expect(next.way.includes('CREATED')).toBe(held);
      },
    );

    test('L41: an ended instance accepts nothing and says so', async () => {
      const { office, a } = await replying(options());
      await office.agent('A').ends('done');
      await office.agent('A').finishes();
      const emitted = a.emitted.length;
      for (const type of ['pause', 'resume', 'cancel'] as const) {
        expect(await office.send('A', { type })).toEqual({
          status: 409,
          refusal: {
            type: 'event.refused',
            event: type,
            state: 'COMPLETED',
            code: 'instance/ended',
            because:
              'The instance has ended in "COMPLETED", and nothing can happen to it any more.',
            accepts: [],
          },
        });
      }
      expect((await office.relaySend('A', 'note')).status).toBe(409);
      expect(await office.receive('c', 'Hello?')).toBeNull();
      expect(a.emitted).toHaveLength(emitted);
      expect(office.delivered).toEqual(['Hello.']);
      // The actor does not move either if an event reaches it.
      const warn = vi.spyOn(console, 'warn').mockReturnValue();
      onTestFinished(() => warn.mockRestore());
      const late: LifecycleEvent = { type: 'message.received', id: 'late' };
      a.actor.send(late);
      expect(a.output).toMatchObject({ state: 'COMPLETED' });
      expect(a.emitted).toHaveLength(emitted);
    });
  });

  describe('a restart', () => {
    /** Twenty of thirty minutes have passed. */
    const dueInTen = async (policies: OfficeOptions) => {
      const { office, a } = await waitingOf(policies);
      await office.clock.pass(minutes(20));
      return { office, a };
    };

    test('L45: a heartbeat that is not due yet keeps its time', async () => {
      const { office } = await dueInTen(options());
      await office.crash(minutes(4));
      expect(office.clock.due).toEqual([6]);
    });

    test('L45, remaining: or the heartbeat keeps its remaining time', async () => {
      const { office } = await dueInTen(heartbeat({ restart_timer: 'remaining' }));
      await office.crash(hours(3));
      expect(office.clock.due).toEqual([10]);
    });

    test('L45, restart: or the heartbeat starts again', async () => {
      const { office } = await dueInTen(heartbeat({ restart_timer: 'restart' }));
      await office.crash(hours(3));
      expect(office.clock.due).toEqual([30]);
    });

    test.each([
      // At 9:20 the heartbeat is due in ten minutes, or thirty after a new start; at 12:20 it is overdue.
      ['deadline', '09:21', '11:00', minutes(4), 96],
      ['deadline', '12:00', '13:00', hours(3), 40],
      ['remaining', '12:25', '13:00', hours(3), 40],
      ['restart', '12:45', '13:00', hours(3), 40],
      ['deadline', '09:31', '11:00', minutes(4), 6],
      ['remaining', '12:00', '12:30', hours(3), 10],
      ['restart', '12:00', '12:50', hours(3), 30],
    ] as const)(
      'a heartbeat with the policy "%s" is not due from %s to %s after it',
      async (restart_timer, from, to, downtime, due) => {
        const { office } = await dueInTen(
          options({ heartbeat: { restart_timer }, quiet_hours: { from, to } }),
        );
        await office.crash(downtime);
        await office.clock.pass(0);
        expect(office.clock.due).toEqual([due]);
      },
    );

    const always = { from: '09:00', to: '08:59' };

    test('the time after which a contact is told to wait is not moved by quiet hours', async () => {
      const { office } = await active(
        options({ fallbacks: { waiting_after_ms: minutes(30) }, quiet_hours: always }),
      );
      expect(office.clock.due).toEqual([30]);
      await office.clock.pass(minutes(4));
      await office.crash();
      // The turn begins again.
      expect(office.clock.due).toEqual([30]);
    });

    test('the end of a quiet window is not moved by quiet hours', async () => {
      const { office, a } = await waitingOf(
        options({ settle: { quiet_ms: minutes(2), most_ms: minutes(9) }, quiet_hours: always }),
      );
      for (const downtime of [0, minutes(1), minutes(3)]) {
        const before = a.events('turn.started').length;
        await office.receive('c', `After ${downtime}`);
        expect(office.clock.due).toEqual([2]);
        if (downtime > 0) await office.crash(downtime);
        await office.clock.pass(Math.max(0, minutes(2) - downtime));
        expect(a.state).toBe('ACTIVE');
        expect(a.events('turn.started')).toHaveLength(before + 1);
        await office.agent('A').answers('Yes.');
      }
    });

    test('L46: an overdue heartbeat fires once', async () => {
      const { office, a } = await dueInTen(options());
      await office.crash(hours(3));
      await office.clock.pass(0);
      expect(a.state).toBe('HEARTBEAT_SCHEDULED');
      await office.agent('A').answers('Are you there?');
      expect(a.context.follow_up_count).toBe(1);
      expect(office.clock.due).toEqual([30]);
      expect(office.delivered).toEqual(['Hello.', 'Are you there?']);
    });

    test('L47: a follow-up that was sent is not sent again', async () => {
      const { office, a } = await followingUp(options());
      await office.agent('A').says('Are you there?');
      await office.crash();
      expect(a.context).toMatchObject({ state: 'WAITING_FOR_REPLY', follow_up_count: 1 });
      expect(office.delivered).toEqual(['Hello.', 'Are you there?']);
      expect(a.events('turn.started').filter(({ kind }) => kind === 'follow_up')).toHaveLength(1);
    });

    test('L47, not sent: a follow-up is written again', async () => {
      const { office, a } = await followingUp(options());
      await office.crash();
      expect(a.context).toMatchObject({ state: 'HEARTBEAT_SCHEDULED', follow_up_count: 0 });
      expect(a.events('turn.started').filter(({ kind }) => kind === 'follow_up')).toHaveLength(2);
    });

    test('L48: a message that waited for the agent is answered', async () => {
      const { office, a } = await active(whenAvailable);
      await office.send('A', { type: 'agent.available' });
      await office.agent('A').answers('Hello.');
      await office.receive('c', 'Yes?');
      await office.crash();
      expect(a.events('agent.wanted').at(-1)!.messages).toBe(1);
      await office.send('A', { type: 'agent.available' });
      expect(a.state).toBe('ACTIVE');
      expect(a.textsOf(a.events('turn.started').at(-1)!)).toEqual(['Yes?']);
    });

    test('L48, in the middle of the turn: a new turn answers the message', async () => {
      const { office, a } = await replying(options());
      await office.crash();
      expect(a.way.slice(-2)).toEqual(['WAITING_FOR_AGENT', 'ACTIVE']);
      expect(a.textsOf(a.events('turn.started').at(-1)!)).toEqual(['Yes?']);
    });

    test('L49: a pause survives a restart, with the remaining time', async () => {
      const { office } = await waitingOf(options());
      await office.clock.pass(minutes(18));
      await office.send('A', { type: 'pause' });
      await office.crash(hours(7));
      await office.send('A', { type: 'resume' });
      expect(office.clock.due).toEqual([12]);
    });

    test('L50: an instance that should have begun before the restart begins after it', async () => {
      const { office, instances } = await line(options(), 'B');
      const [a, b] = instances;
      office.stop();
      // The holder has ended, and the process stopped before it started the next one.
      const before = office.clock.now;
      office.instances.delete('A');
      await office.start(before);
      expect(a!.state).toBe('ACTIVE');
      expect(b!.way).toEqual(['QUEUED', 'CREATED', 'ACTIVE']);
    });
  });

  describe('races', () => {
    test('L51: an answer before the expiry wins, and the stale expiry is ignored', async () => {
      const { office, a } = await waitingOf(options());
      await office.clock.pass(minutes(30) - 1);
      const here: LifecycleEvent = { type: 'message.received', id: 'm1', text: 'Here.' };
      a.actor.send(here);
      await office.clock.pass(1);
      expect(a.way.slice(-2)).toEqual(['WAITING_FOR_AGENT', 'ACTIVE']);
      expect(a.way).not.toContain('HEARTBEAT_SCHEDULED');
    });

    test('L51, at the same instant: an expiry without a wait does nothing', async () => {
      const { office, a } = await waitingOf(options());
      office.clock.passUnnoticed(minutes(30));
      await office.receive('c', 'Here.');
      a.actor.send({
        type: 'xstate.done.actor.timer',
        actorId: 'timer',
        output: { firedAt: office.clock.now },
      } as never);
      expect(a.state).toBe('ACTIVE');
      expect(a.events('event.refused')).toEqual([]);
    });

    test('L52: an expiry before the answer wins, and the answer is buffered', async () => {
      const { office, a } = await followingUp(options());
      await office.receive('c', 'Here.');
      expect(a.state).toBe('HEARTBEAT_SCHEDULED');
      expect(a.events('turn.aborted')).toEqual([]);
      await office.agent('A').answers('Are you there?');
      expect(a.state).toBe('ACTIVE');
      expect(a.context.follow_up_count).toBe(0);
    });

    test('L57: a message that is delivered twice counts once', async () => {
      const { office, a } = await waitingOf(options());
      await office.receive('c', 'Yes?', 'm1');
      await office.receive('c', 'Yes?', 'm1');
      expect(a.log.filter(({ role }) => role === 'contact')).toHaveLength(1);
      expect(a.events('turn.started').filter(({ kind }) => kind === 'reply')).toHaveLength(1);
      expect(a.events('event.refused').at(-1)).toMatchObject({
        because: 'The message "m1" was received before.',
      });
    });
  });

  describe('input from outside', () => {
    test('L54: a message from a contact without an instance is unhandled', async () => {
      const { office, a } = await waitingOf(options());
      expect(await office.receive('d', 'Hello?')).toBeNull();
      expect(a.log.map(({ role }) => role)).toEqual(['agent']);
    });

    test('L55: an item that is not on the checklist cannot be marked, and the turn goes on', async () => {
      const { office, a } = await active(options(), { todos: [{ text: 'ask when' }] });
      const agent = office.agent('A');
      expect(await agent.marks('todo-7')).toMatchObject({
        status: 409,
        refusal: { because: 'There is no item "todo-7" on the checklist.' },
      });
      expect(a.state).toBe('ACTIVE');
      expect((await agent.marks('todo-1')).status).toBe(200);
      expect(a.context.todos).toEqual([{ id: 'todo-1', text: 'ask when', status: 'completed' }]);
      expect((await agent.answers('Hello.')).status).toBe(200);
    });

    test('L56: a delay that is too long for a timer is refused', async () => {
      const office = new Office(options());
      const input = { heartbeat_config: { interval_ms: 3_000_000_000 } };
      await expect(office.create('A', 'c', input)).rejects.toThrow(InputError);
      const a = await office.create('B');
      expect(await office.agent('B').reschedules(3_000_000_000)).toMatchObject({
        status: 409,
        refusal: { because: 'The "delay_ms" must be a whole number from 1 to 2147483647.' },
      });
      expect(a.context.heartbeat_override_ms).toBeNull();
    });

    test('L58: an event that is not accepted changes nothing', async () => {
      const { office, a } = await waitingOf(options());
      const before = JSON.stringify(a.actor.getPersistedSnapshot());
      for (const type of ['resume', 'turn_silent', 'create', 'agent.available', 'no such event'])
        expect((await office.send('A', { type })).status).toBe(409);
      expect(JSON.stringify(a.actor.getPersistedSnapshot())).toBe(before);
    });
  });
});
