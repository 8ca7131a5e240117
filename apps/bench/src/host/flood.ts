import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Prepare } from '../measure.ts';
import { Stage } from './stage.ts';
import { onStores, quantile, storeAt, type StoreSettings, timed } from './stores.ts';

const healthy = Array.from({ length: 10 }, (_, index) => `healthy-${index}`);
const floodSize = 10_000;

/**
 * Measures a contact that sends 10,000 messages at once to a paused conversation: the cost of a message when 10 and when 10,000
 * wait, and the turns of ten other contacts, with and without the flood.
 */
export const prepare: Prepare<StoreSettings> = async (settings, onProgress) => {
  const stage = await Stage.open(storeAt(settings, 'always'), {
    inbox: { messages: 3 * floodSize },
  });
  let turn = 0;
  for (const id of healthy) await stage.begin(id);
  for (; turn < 30; turn += 1) await turnsOf(stage, turn);
  let round = 0;
  return {
    sample: async () => {
      round += 1;
      const [many, few] = [`many-${round}`, `few-${round}`];
      onProgress(`flood ${round} on ${settings.kind}`);
      for (const id of [many, few]) {
        await stage.begin(id);
        await stage.host.pause(id);
        await sendAll(stage, id, 10);
      }
      const calm = await healthyTurns(async () => {
        for (const end = turn + 100; turn < end; turn += 1) await turnsOf(stage, turn);
      });
      const progress = { isOver: false };
      const flooding = timed(() => sendAll(stage, many, floodSize)).finally(
        () => (progress.isOver = true),
      );
      const busy = await healthyTurns(async () => {
        for (; !progress.isOver; turn += 1) await turnsOf(stage, turn);
      });
      const floodMs = await flooding;
      const costs = await costOfMessages(stage, [many, few]);
      for (const id of [many, few]) await stage.host.cancel(id);
      return {
        growth: costs.get(many)! / costs.get(few)!,
        message: costs.get(few)!,
        flood: floodMs / floodSize,
        latency: busy.latency / calm.latency,
        loop: busy.loop / calm.loop,
      };
    },
    close: () => stage.stop(),
  };
};

/** The medians of messages that are sent one after another, to instances in turn, in milliseconds. */
async function costOfMessages(
  stage: Stage,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const times = new Map(ids.map((id): [string, number[]] => [id, []]));
  for (let index = 0; index < 200; index += 1) {
    for (const [id, each] of times) each.push(await timed(() => stage.say(id, 20_000 + index)));
  }
  return new Map(Array.from(times, ([id, each]) => [id, quantile(each, 0.5)]));
}

let messages = 100_000;

async function sendAll(stage: Stage, id: string, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, () => {
      messages += 1;
      return stage.say(id, messages);
    }),
  );
}

let latencies: number[] = [];

/** One turn of each healthy contact, one after another. */
async function turnsOf(stage: Stage, turn: number): Promise<void> {
  await Promise.all(
    healthy.map(async (id) => latencies.push(await timed(() => stage.turn(id, turn)))),
  );
}

/** 99th percentiles in milliseconds: the latency of a healthy turn, and how late the event loop is. */
async function healthyTurns(
  run: () => Promise<void>,
): Promise<{ readonly latency: number; readonly loop: number }> {
  latencies = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await run();
  delay.disable();
  return { latency: quantile(latencies, 0.99), loop: delay.percentile(99) / 1e6 };
}

/** One contact sends 10,000 messages at once, and ten others continue with their turns. */
export const flood = onStores(
  import.meta.filename,
  (kind) => {
    const title = `flood on ${kind}`;
    const [turns, loop] = ['a turn of another contact', "the event loop's delay"];
    return {
      growth: [`${title}: a message when 10,000 wait over one when 10 wait`, '×', 1.25],
      latency: [`${title}: p99 of ${turns}, over the same without the flood`, '×', 2],
      loop: [`${title}: p99 of ${loop}, over the same without the flood`, '×', 2],
      message: [`${title}: a message when 10 wait`, 'ms'],
      flood: [`${title}: a message of 10,000 at once`, 'ms'],
    };
  },
  { rounds: 5 },
);
