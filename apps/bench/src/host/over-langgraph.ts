import { join } from 'node:path';
import type { Prepare } from '../measure.ts';
import { langGraph, sqliteSaver } from './langgraph.ts';
import { Stage } from './stage.ts';
import { onStores, quantile, storeAt, type StoreSettings, timed } from './stores.ts';

type Turn = (id: string, turn: number) => Promise<void>;

/** Samples start after this turn. Each round takes 10 turns, so turn 500 is in the middle of 7 rounds. */
const lateFrom = 465;

/**
 * Compares our turn with LangGraph's, at equal durability: every step is flushed before the next one begins, and the answer is
 * delivered after it is stored. LangGraph stores only new messages, with its `DeltaChannel`. With `fsync: 'batch'`, ours can
 * lose a tenth of a second. That comparison is for information only.
 *
 * They alternate in blocks of turns.
 */
export const prepare: Prepare<StoreSettings> = async (settings, onProgress) => {
  const saver = sqliteSaver(join(settings.folder, 'langgraph.db'));
  saver.db.pragma('synchronous = FULL');
  const theirs = langGraph(saver, { delta: true, deliver: () => {} });
  const stages = [
    await Stage.open(storeAt(settings, 'always', 'always')),
    await Stage.open(storeAt(settings, 'batch', 'batch')),
  ] as const;
  const [ours, oursInBatches] = [turnsOn(stages[0]), turnsOn(stages[1])];
  for (const stage of stages) {
    // Warms up the JIT, as in a host that has run for a while. LangGraph warms up below.
    await stage.begin('warm');
    for (let turn = 1; turn <= 2_000; turn += 1) await stage.turn('warm', turn);
    await stage.begin('late');
  }
  for (let turn = 1; turn <= lateFrom; turn += 1) {
    if (turn % 10 === 0) onProgress(`turn ${turn} of ${lateFrom} with LangGraph`);
    await ours('late', turn);
    await oursInBatches('late', turn);
    await theirs('late', turn);
  }
  let late = lateFrom;
  let begun = 0;

  const compare = async (id: string, from: number, to: number) => {
    const [always, batch] = [
      await median(ours, id, from, to),
      await median(oursInBatches, id, from, to),
    ];
    const their = await median(theirs, id, from, to);
    return { theirs: their, always: always / their, batch: batch / their };
  };

  return {
    sample: async () => {
      begun += 1;
      const early = `early-${begun}`;
      for (const stage of stages) await stage.begin(early);
      await compare(early, 1, 5);
      // Turns 6 to 15: turn 10 is in the middle.
      const at10 = await compare(early, 6, 15);
      const at500 = await compare('late', late + 1, late + 10);
      late += 10;
      return {
        at10: at10.always,
        at10InBatches: at10.batch,
        theirs10: at10.theirs,
        at500: at500.always,
        at500InBatches: at500.batch,
        theirs500: at500.theirs,
      };
    },
  };
};

function turnsOn(stage: Stage): Turn {
  return (id, turn) => stage.turn(id, turn);
}

async function median(take: Turn, id: string, from: number, to: number): Promise<number> {
  const times: number[] = [];
  for (let turn = from; turn <= to; turn += 1) times.push(await timed(() => take(id, turn)));
  return quantile(times, 0.5);
}

export const turnOverLangGraph = onStores(
  import.meta.filename,
  (kind) => ({
    at10: [`durable turn 10 on ${kind} over LangGraph with DeltaChannel`, '×', 0.1],
    at500: [`durable turn 500 on ${kind} over LangGraph with DeltaChannel`, '×', 0.01],
    at10InBatches: [
      `turn 10 on ${kind}, flushed every 100 ms, over LangGraph with DeltaChannel`,
      '×',
    ],
    at500InBatches: [
      `turn 500 on ${kind}, flushed every 100 ms, over LangGraph with DeltaChannel`,
      '×',
    ],
    theirs10: [`turn 10 of LangGraph with DeltaChannel, beside ${kind}`, 'ms'],
    theirs500: [`turn 500 of LangGraph with DeltaChannel, beside ${kind}`, 'ms'],
  }),
  { rounds: 7 },
);
