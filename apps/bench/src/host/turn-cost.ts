import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Prepare } from '../measure.ts';
import {
  bytesOf,
  type CountedWrite,
  countingStore,
  mean,
  onStores,
  PlainFile,
  storeAt,
  type StoreSettings,
  timed,
} from './stores.ts';
import { Stage } from './stage.ts';

const turnsOfSample = 50;

/**
 * Compares a turn on a store that always flushes with appending and flushing the same bytes. The two alternate, so other
 * activity of the device affects both. Uses means, so that periodic work such as compaction is included.
 */
export const prepare: Prepare<StoreSettings> = async (settings) => {
  const writes = await writesOfTurn(settings);
  const file = new PlainFile(join(settings.folder, 'plain'));
  const stage = await Stage.open(storeAt(settings, 'always'));
  await stage.begin('ada');
  let turn = 0;
  const next = () => stage.turn('ada', (turn += 1));
  // Warms up the JIT: the first turns of a process take several times as long.
  for (let count = 0; count < 2_000; count += 1) await next();
  for (let count = 0; count < 300; count += 1) file.write(writes);
  return {
    sample: async () => {
      const [turns, floors, onces]: [number[], number[], number[]] = [[], [], []];
      // Warms up again after the rounds of other benchmarks.
      for (let count = 0; count < 20; count += 1) await next();
      const before = bytesWritten();
      let others = 0;
      for (let count = 0; count < turnsOfSample; count += 1) {
        turns.push(await timed(next));
        floors.push(await timed(() => file.write(writes)));
        onces.push(await timed(() => file.writeOnce(writes)));
        others += 2 * bytesOf(writes);
      }
      const written = bytesWritten() - before - others;
      return {
        turn: mean(turns),
        overFloor: mean(turns) / mean(floors),
        overOnce: mean(turns) / mean(onces),
        floor: mean(floors),
        written: written / turnsOfSample / bytesOf(writes),
      };
    },
  };
};

/** Counts the writes of a turn in another conversation with texts of the same length, before any timing. */
export async function writesOfTurn(settings: StoreSettings): Promise<readonly CountedWrite[]> {
  const writes: CountedWrite[] = [];
  const stage = await Stage.open(countingStore(storeAt(settings, 'never', 'counted'), writes));
  await stage.begin('ada');
  for (let turn = 1; turn <= 300; turn += 1) {
    writes.length = 0;
    await stage.turn('ada', turn);
  }
  await stage.stop();
  const flushes = writes.filter(({ isFlushed }) => isFlushed).length;
  if (writes.length !== 3 || flushes !== 2)
    throw new Error(`A turn is two flushed writes and a receipt, not ${JSON.stringify(writes)}.`);
  return writes;
}

/** The bytes that this process has written, as Linux counts them. NaN on other systems. */
function bytesWritten(): number {
  try {
    const [, count] = /^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))!;
    return Number(count);
  } catch {
    return Number.NaN;
  }
}

/** A turn: receives a message, calls the agent, delivers its answer and stores the receipt. */
export const durableTurn = onStores(import.meta.filename, (kind) => ({
  overFloor: [`durable turn on ${kind} over appending and flushing the same writes`, '×', 2.5],
  overOnce: [`durable turn on ${kind} over one append and flush of all`, '×'],
  turn: [`durable turn on ${kind}`, 'ms'],
  floor: [`appending and flushing the writes of a durable turn on ${kind}`, 'ms'],
  written: [`durable turn on ${kind}, written over asked for`, '×'],
}));
