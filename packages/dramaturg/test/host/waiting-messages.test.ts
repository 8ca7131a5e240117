/* oxlint-disable vitest/no-standalone-expect -- The player is a part of the tests. */
import { createHost, InstanceHistory, memoryStore } from '@dramaturg/host';
import { HostStage, rehearsalBehaviour, until } from '@dramaturg/testing';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';
import { scaled } from '../../../../.config/scaled.ts';

/** Messages of one contact that wait, in any order of pauses, failures, turns and restarts. */

async function opened(): Promise<HostStage> {
  const store = memoryStore();
  const stage = new HostStage({ open: (options) => createHost({ ...options, store }) }, lifecycles);
  await stage.open();
  await stage.greeted('a', 'ada');
  return stage;
}

type Command =
  | { readonly type: 'say'; readonly sizes: readonly number[] }
  | { readonly type: 'repeat'; readonly index: number }
  | { readonly type: 'pause' | 'resume' | 'answer' | 'fail' | 'restart' | 'intervene' };

const size = oneof(
  { weight: 6, arbitrary: integer({ min: 1, max: 40 }) },
  { weight: 1, arbitrary: integer({ min: 30_000, max: 100_000 }) },
);

const commands = array(
  oneof(
    {
      weight: 5,
      arbitrary: record({ type: constant('say' as const), sizes: array(size, { maxLength: 5 }) }),
    },
    { weight: 1, arbitrary: record({ type: constant('repeat' as const), index: nat() }) },
    {
      weight: 8,
      arbitrary: record({
        type: constantFrom('pause', 'resume', 'resume', 'answer', 'answer', 'fail', 'intervene'),
      }),
    },
  ) as ReturnType<typeof constant<Command>>,
  { maxLength: 25 },
);

/** Plays commands, and knows which messages were accepted and which the agent was given. */
class Player {
  readonly #stage: HostStage;
  readonly accepted: { readonly id: string; readonly text: string }[] = [];
  /** The message of each answered call, by its key. */
  readonly #answered = new Map<string, string>();

  constructor(stage: HostStage) {
    this.#stage = stage;
  }

  get given(): readonly string[] {
    return [...this.#answered.values()];
  }

  async play(command: Command): Promise<void> {
    const { host, agent } = this.#stage;
    switch (command.type) {
      case 'say':
        await Promise.all(command.sizes.map((length) => this.#say(length)));
        break;
      case 'repeat':
        await this.#repeat(command.index);
        break;
      case 'answer':
        if (agent.open.length > 0) await this.#answer();
        break;
      case 'fail':
        if (agent.open.length > 0) await agent.fail('an outage');
        break;
      case 'intervene':
        await host.intervene('a', 'by hand');
        break;
      case 'restart':
        await this.#stage.reopen();
        break;
      default:
        await host[command.type]('a');
    }
  }

  /** Goes on until the agent has answered everything. */
  async finish(): Promise<void> {
    const { host, agent } = this.#stage;
    for (;;) {
      await host.settle({ within: 20 });
      const state = await this.#stage.stateOf('a');
      if (agent.open.length > 0) await this.#answer();
      else if (state === 'WAITING_FOR_REPLY') return;
      else if (state === 'PAUSED' || state === 'NEEDS_HUMAN_INTERVENTION') await host.resume('a');
    }
  }

  async #answer(): Promise<void> {
    const { key, input } = await this.#stage.agent.answer('Yes.');
    const message = input.message ?? '';
    expect(this.#answered.get(key) ?? message).toBe(message);
    this.#answered.set(key, message);
  }

  async #say(length: number): Promise<void> {
    const id = `m${this.accepted.length}`;
    const text = `${id} `.padEnd(length, 'x');
    this.accepted.push({ id, text });
    const answer = await this.#stage.host.receive({ contact: 'ada', id, text });
    expect(answer).toMatchObject({ instance: 'a', accepted: true });
  }

  async #repeat(index: number): Promise<void> {
    const message = this.accepted[index % this.accepted.length];
    if (!message) return;
    const answer = await this.#stage.host.receive({ contact: 'ada', ...message });
    expect(answer).toMatchObject({ accepted: false, code: 'message/repeated' });
  }
}

async function historyOf({ host }: HostStage, id: string): Promise<InstanceHistory> {
  const behaviours = new Map([
    ['rehearsal', rehearsalBehaviour],
    [lifecycles.conversation.format, lifecycles.behaviour],
  ]);
  const history = new InstanceHistory({ id, charts: await host.charts(id), behaviours });
  await history.take(await host.journal(id, { from: 0, limit: 10_000 }));
  return history;
}

test('every accepted message is given to the agent once, in order of arrival', async () => {
  await assert(
    asyncProperty(commands, boolean(), async (played, restarts) => {
      const stage = await opened();
      const player = new Player(stage);
      for (const command of played) {
        await player.play(command);
        if (restarts) await player.play({ type: 'restart' });
      }
      await player.finish();
      const texts = player.accepted.map(({ text }) => text);
      expect(player.given.join('\n')).toBe(texts.join('\n'));
      const history = await historyOf(stage, 'a');
      expect(history.departures).toEqual([]);
      expect(history.state.inbox).toMatchObject({ count: 0, due: 0, size: 0 });
      await stage.host.stop({ within: 0 });
    }),
    { numRuns: scaled(100) },
  );
});

test('a fork has the messages that wait, and gives them to its agent', async () => {
  const stage = await opened();
  await stage.host.receive({ contact: 'ada', text: 'zero' });
  await stage.agent.next();
  const texts = Array.from({ length: 30 }, (_, index) => `message ${index} ${'x'.repeat(4_000)}`);
  for (const text of texts) {
    await stage.host.receive({ contact: 'ada', text });
    await stage.host.intervene('a', 'between');
  }
  const { steps } = await historyOf(stage, 'a');
  await stage.host.fork('a', { step: steps, id: 'copy' });
  // From now on all calls are those of the copy.
  await stage.host.pause('a');
  const given: string[] = [];
  const isOver = async () => (await stage.stateOf('copy')) === 'WAITING_FOR_REPLY';
  for (;;) {
    await until(async () => stage.agent.open.length > 0 || (await isOver()), 'the next call');
    if (stage.agent.open.length === 0) break;
    given.push((await stage.agent.answer('Yes.')).input.message!);
  }
  expect(given.join('\n')).toBe(['zero', ...texts].join('\n'));
  await stage.host.stop({ within: 0 });
});
