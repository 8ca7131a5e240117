import { parentPort, workerData } from 'node:worker_threads';
import type { Json } from '@dramaturg/compiler';
import type { compileSource as compile } from '../../src/data/jsonata/compile-source.ts';
import type { Ended } from './hostile.ts';

/** Another folder with the same sources, to compare with. */
const sources = process.env['DRAMATURG_SOURCES'] ?? '../../src/data/jsonata';
const { compileSource } = (await import(`${sources}/compile-source.ts`)) as {
  readonly compileSource: typeof compile;
};
const { Work } = await import('../../src/data/work.ts');

const { expressions, units } = workerData as {
  readonly expressions: readonly string[];
  readonly units: number | undefined;
};
const nest = (depth: number, wrap: (inner: Json) => Json): Json => {
  let value: Json = 0;
  for (let at = 0; at < depth; at += 1) value = wrap(value);
  return value;
};
const variables: Record<string, Json> = {
  minusZero: -0,
  long: 'a'.repeat(300_000),
  lone: `\uD800${'a'.repeat(299_999)}`,
  dates: `2024${'-01'.repeat(100_000)}x`,
  commas: '0,'.repeat(20_000),
  numbers: Array.from({ length: 100_000 }, (_, at) => at),
  strings: Array.from({ length: 20_000 }, (_, at) => `${'ab'.repeat(9)}${at}`),
  rows: Array.from({ length: 5_000 }, (_, n) => ({ n: String(n), list: [n] })),
  wide: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at])),
  deep: nest(5_000, (inner) => ({ inner })),
  nested: nest(5_000, (inner) => [inner, 1]),
};
const world = { now: () => 1.7e12, random: () => 0.5, uuid: () => 'u' };

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- That is of windows.
const send = (ended: readonly Ended[]) => parentPort!.postMessage(ended);

send([]);
for (const expression of expressions) {
  let ended: Ended;
  try {
    compileSource(
      `($f := function($x) { $f }; ${expression})`,
      expression,
      false,
    )({
      states: { input: null },
      variables,
      world,
      work: new Work(units),
    });
    ended = { expression, outcome: 'value' };
  } catch (error) {
    const { name, message } = error as Error;
    ended = { expression, outcome: name === 'StatesError' ? 'failed' : 'thrown', message };
  }
  send([ended]);
}
