import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { compileBeside } from '../../src/service/compile-beside.ts';
import { compile } from '../../src/index.ts';

const workflow = (states: number) => {
  const names = Array.from({ length: states }, (_, index) => `State${index}`);
  const stateAt = (index: number) => ({
    Type: 'Pass',
    ...(index === states - 1 ? { End: true } : { Next: names[index + 1] }),
  });
  const all = Object.fromEntries(names.map((name, index) => [name, stateAt(index)]));
  return JSON.stringify({ StartAt: names[0], States: all }, undefined, 2);
};

/** So many turns show that nothing holds the event loop. More of them would take processor time from the thread. */
const enough = 30;

/** How often the event loop goes on until a promise is settled, up to `enough`. */
async function turnsDuring<Value>(work: Promise<Value>) {
  const over = new AbortController();
  let turns = 0;
  const tick = () => {
    turns += 1;
    if (turns < enough && !over.signal.aborted) setImmediate(tick);
  };
  setImmediate(tick);
  const value = await work.finally(() => over.abort());
  return { value, turns };
}

test('a long text is compiled while the event loop goes on, with the same result', async () => {
  const text = workflow(400);
  const { value, turns } = await turnsDuring(compileBeside({ text }));
  const { chart, kind, diagnostics } = compile(text);
  expect(value).toEqual({ chart: JSON.parse(JSON.stringify(chart)), kind, diagnostics });
  expect(turns).toBe(enough);
});

test('its mistakes are found, and those that need values only when it is to run', async ({
  skip,
}) => {
  skip(!runsAll);
  const text = workflow(400).replace('"End": true', '"Next": "Nowhere"');
  expect((await compileBeside({ text })).diagnostics).toEqual(compile(text).diagnostics);
  const open = workflow(400).replace('"Type": "Pass"', '"Type": "${Kind}"');
  const [run, checked] = await Promise.all([
    compileBeside({ text: open }),
    compileBeside({ text: open, checkOnly: true }),
  ]);
  expect(run.diagnostics.length).toBeGreaterThan(checked.diagnostics.length);
});
