import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Prepare } from '../own-process/protocol.ts';
import { langGraph } from './langgraph.ts';
import { Stage } from './stage.ts';
import { storeAt, type StoreSettings } from './stores.ts';
import { quantile, timed } from './times.ts';

type Turn = (id: string, turn: number) => Promise<void>;

/** Sampled from here on, 10 turns a round: so the 500th is in the middle of 7 rounds. */
const lateFrom = 465;

/**
 * Our turn over LangGraph's, both with the durability that they have if one asks for nothing: ours has the device write
 * twice in each turn, before it answers. Its checkpointer leaves SQLite as `better-sqlite3` builds it, which in
 * write-ahead mode flushes with checkpoints only: a power cut takes its last turns away. That is what ours promises, but
 * for a tenth of a second, with `fsync: 'batch'`; how it compares then is for information.
 *
 * They take ten turns each at a time. What LangGraph has left to the system is flushed before ours go on, because a
 * flush of one file may have to wait for what was written to others.
 */
export const prepare: Prepare<StoreSettings> = async (settings, tell) => {
  const file = join(settings.folder, 'langgraph.db');
  const theirs = langGraph(file);
  const stages = [
    await Stage.open(storeAt(settings, 'always', 'always')),
    await Stage.open(storeAt(settings, 'batch', 'batch')),
  ] as const;
  const [ours, oursInBatches] = [turnsOn(stages[0]), turnsOn(stages[1])];
  for (const stage of stages) {
    // Until the engine compiles nothing any more, as in any host that has run for a while. Theirs gets there below.
    await stage.begin('warm');
    for (let turn = 1; turn <= 2_000; turn += 1) await stage.turn('warm', turn);
    await stage.begin('late');
  }
  for (let turn = 1; turn <= lateFrom; turn += 1) {
    if (turn % 10 === 0) tell(`turn ${turn} of ${lateFrom} with LangGraph`);
    await ours('late', turn);
    await oursInBatches('late', turn);
    await theirs('late', turn);
  }
  let late = lateFrom;
  let begun = 0;

  const compare = async (id: string, from: number, to: number) => {
    flush(`${file}-wal`);
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
      // Its middle is the 10th turn.
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

function flush(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
