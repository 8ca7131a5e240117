import { monitorEventLoopDelay } from 'node:perf_hooks';
import { compile } from '@dramaturg/compiler';
import type { Definition } from '@dramaturg/host';
import { rehearsalCharts } from '@dramaturg/testing';
import { lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { type Benchmark, type Prepare, type Readings, readingsOf } from '../measure.ts';
import { sampleOnce } from '../own-process/own-process.ts';
import { deadChannel, populated, silentModel, type WaitsFor } from './population.ts';
import { Stage } from './stage.ts';
import { quantile, storeAt, type StoreSettings, timed } from './stores.ts';

export interface OutageSettings extends StoreSettings {
  readonly count: number;
  readonly waitsFor: WaitsFor;
  /** The working part that the healthy contact uses: a channel that works, or an agent that answers. */
  readonly healthy: 'channel' | 'model';
}

/** The duration in seconds: long enough to resume the work of all instances on a slow machine. */
const secondsFor = (count: number) => 10 + count / 5_000;
const warmUps = 200;

/**
 * Measures a host whose instances all wait for a channel that is down, or for a model that is silent, while a healthy
 * conversation or workflow continues. Begins directly after the host has opened.
 */
export const prepare: Prepare<OutageSettings> = async (settings, onProgress) => {
  const { waitsFor, healthy } = settings;
  const stage = await Stage.open(storeAt(settings, 'always'), {
    definitions: [...Stage.definitions, job],
    channels: {
      ...(waitsFor === 'channel' ? deadChannel : { main: { deliver: () => {} } }),
      healthy: { deliver: () => {} },
    },
    ports: {
      ...Stage.ports,
      ...(waitsFor === 'model' ? silentModel : {}),
      runAgent: () => ({ result: 'done' }),
      requestDecision: () => ({ decision: 'yes' }),
    },
    onError: () => {},
  });
  const work = healthy === 'channel' ? await conversation(stage) : workflows(stage);
  return {
    sample: async () => {
      onProgress(`${settings.kind}: waiting instances (${waitsFor})`);
      for (let count = 0; count < warmUps; count += 1) await work();
      const latencies: number[] = [];
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      for (
        const end = performance.now() + secondsFor(settings.count) * 1_000;
        performance.now() < end;
      )
        latencies.push(await timed(work));
      delay.disable();
      gc!();
      gc!();
      return {
        latency: quantile(latencies, 0.5),
        latency99: quantile(latencies, 0.99),
        loop: delay.percentile(99) / 1e6,
        megabytes: process.memoryUsage().heapUsed / 2 ** 20,
      };
    },
    close: () => stage.host.stop({ within: 0 }),
  };
};

const job: Definition = {
  name: 'job',
  chart: rehearsalCharts.job,
  lifecycle: compile(JSON.stringify(workflowLifecycle), { formats: [lifecycle] }).chart!,
};

const person = 'healthy';

/** Returns a function that takes a turn with the healthy contact, until the receipt of its answer is stored. */
async function conversation(stage: Stage): Promise<() => Promise<void>> {
  const greeted = stage.receiptOf(person);
  await stage.host.start('chat', { id: person, contact: person, channel: 'healthy' });
  await greeted;
  let turn = 0;
  return () => stage.turn(person, (turn += 1));
}

/** Returns a function that runs a workflow that calls an agent, from its start to its end. */
function workflows({ host }: Stage): () => Promise<void> {
  const ended = new Map<string, () => void>();
  void (async () => {
    for await (const { instance, event } of host.events({ types: ['state.entered'] }))
      if (event['state'] === 'COMPLETED') ended.get(instance)?.();
  })();
  return async () => {
    const id = crypto.randomUUID();
    const end = new Promise<void>((resolve) => ended.set(id, resolve));
    await host.start('job', { id });
    await end;
    ended.delete(id);
  };
}

/** All conversations of a host wait for a channel that is down, or for a model that is silent. A healthy conversation continues. */
export function outages(count: number): Benchmark[] {
  return (['channel', 'model'] as const).flatMap((fault) => {
    const title = `${count} instances with a dead ${fault}`;
    const ratio = (what: string) => `${title}: ${what}, over the same without the fault`;
    return readingsOf(
      async () => {
        const kind = 'sqlite';
        const calm = await populated({ name: `calm-${fault}`, kind, count });
        const dead = await populated({ name: `dead-${fault}`, kind, count, waitsFor: fault });
        const sample = (folder: string, waitsFor: string) =>
          sampleOnce(import.meta.filename, { kind, count, healthy: fault, folder, waitsFor });
        return async () => {
          const without = await sample(calm, 'contact');
          const within = await sample(dead, fault);
          return { ...within, ...ratios(within, without) };
        };
      },
      {
        loop: [`${title}: p99 of the event loop's delay`, 'ms', 50],
        loopRatio: [ratio("p99 of the event loop's delay"), '×', 2],
        latencyRatio: [ratio('latency of a healthy contact'), '×', 2],
        latency99Ratio: [ratio('p99 of the latency of a healthy contact'), '×', 2],
        megabytesRatio: [ratio('heap'), '×', 2],
        megabytes: [`${title}: heap`, 'MB'],
        latency: [`${title}: latency of a healthy contact`, 'ms'],
      },
      { rounds: 1 },
    );
  });
}

function ratios(within: Readings, without: Readings): Readings {
  return Object.fromEntries(
    Object.entries(within).map(([name, value]) => [`${name}Ratio`, value / without[name]!]),
  );
}
