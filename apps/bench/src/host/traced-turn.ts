import { join } from 'node:path';
import { positionFile, traceHost } from '@dramaturg/opentelemetry';
import type { Prepare } from '../measure.ts';
import { Stage } from './stage.ts';
import { onStores, quantile, storeAt, type StoreSettings, timed } from './stores.ts';

const turnsOfSample = 100;

/**
 * Compares a turn on a host whose events are traced, with an exporter that accepts spans at once, with a turn on a host without
 * traces. The two alternate. Uses medians, because batches are exported between turns.
 */
export const prepare: Prepare<StoreSettings> = async (settings) => {
  const plain = await Stage.open(storeAt(settings, 'always', 'plain'));
  const traced = await Stage.open(storeAt(settings, 'always', 'traced'));
  const tracing = await traceHost(traced.host, {
    exporter: { export: (_spans, onResult) => onResult({ code: 0 }), shutdown: async () => {} },
    position: positionFile(join(settings.folder, 'position.json')),
  });
  for (const stage of [plain, traced]) await stage.begin('ada');
  let turn = 0;
  const next = (stage: Stage) => stage.turn('ada', turn);
  for (let count = 0; count < 500; count += 1) {
    turn += 1;
    await next(plain);
    await next(traced);
  }
  return {
    sample: async () => {
      const [plains, traceds]: [number[], number[]] = [[], []];
      for (let count = 0; count < turnsOfSample; count += 1) {
        turn += 1;
        plains.push(await timed(() => next(plain)));
        traceds.push(await timed(() => next(traced)));
      }
      return { over: quantile(traceds, 0.5) / quantile(plains, 0.5) };
    },
    close: async () => {
      await tracing.stop();
      for (const stage of [plain, traced]) await stage.stop();
    },
  };
};

/** The cost of traces, which are made while a host takes turns. */
export const tracedTurn = onStores(import.meta.filename, (kind) => ({
  over: [`durable turn on ${kind} with traces over one without`, '×', 1.5],
}));
