import type { Json } from '@dramaturg/compiler';
import type { StoreLocation } from '@dramaturg/host';
import type { Prepare } from '../measure.ts';
import { Stage } from './stage.ts';
import { onStores, quantile, storeAt, type StoreSettings, timed } from './stores.ts';

const lateIds = ['ada', 'ben', 'cleo'];

export interface GrowthSettings extends StoreSettings {
  /** Turns around this one are compared with turns around the 10th. */
  readonly late: number;
}

/** The number of turns in each of up to 15 rounds. */
const turnsOfRound = 15;

/** The number of turns before the first sample. */
const takenBefore = 100;

/**
 * Measures late turns over early ones, in alternating conversations. An earlier host without flushes prepares the late
 * conversations.
 */
export const prepare: Prepare<GrowthSettings> = async (settings, onProgress) => {
  const before = await Stage.open(storeAt(settings, 'never'));
  for (const id of lateIds) {
    await before.begin(id);
    for (let turn = 1; turn <= takenBefore; turn += 1) await before.turn(id, turn);
  }
  await before.stop();
  const lateFrom = settings.late - 7 * turnsOfRound;
  for (const id of lateIds) {
    onProgress(`${lateFrom} turns of ${id} on ${settings.kind}`);
    await age(storeAt(settings, 'never'), id, { taken: takenBefore, turns: lateFrom });
  }
  const stage = await Stage.open(storeAt(settings, 'always'));
  let late = lateFrom;
  let begun = 0;
  return {
    sample: async () => {
      const [lates, earlies]: [number[], number[]] = [[], []];
      for (const lateId of lateIds) {
        begun += 1;
        const earlyId = `early-${begun}`;
        await stage.begin(earlyId);
        for (let turn = 1; turn <= turnsOfRound; turn += 1) {
          const ofLate = await timed(() => stage.turn(lateId, late + turn));
          const ofEarly = await timed(() => stage.turn(earlyId, turn));
          // Counts turns 6 to 15: turn 10 is in the middle.
          if (turn <= 5) continue;
          lates.push(ofLate);
          earlies.push(ofEarly);
        }
      }
      late += turnsOfRound;
      return { growth: quantile(lates, 0.5) / quantile(earlies, 0.5) };
    },
  };
};

/**
 * Makes a conversation longer: repeats the lines of its turns in its journal and transcript. Its snapshot has the same size after
 * each turn, and says where the recent messages begin. Real turns would take minutes.
 *
 * @param taken the number of turns that the conversation has had
 */
async function age(
  location: StoreLocation,
  id: string,
  { taken, turns }: { readonly taken: number; readonly turns: number },
): Promise<void> {
  const store = await location.open('the benchmarks');
  const { journalLength, transcriptLength, snapshot, revision } = (await store.read(id))!;
  const journal = await store.journal(id, { from: 0, limit: journalLength });
  const transcript = await store.transcript(id, { from: 0, limit: transcriptLength });
  let expectedRevision = revision;
  for (let had = taken; had + taken <= turns; had += taken) {
    const committed = await store.commit({ id, expectedRevision, journal, transcript });
    expectedRevision = committed.revision;
  }
  const { transcriptLength: line } = (await store.read(id))!;
  const recent = { since: Date.now(), from: line, before: line };
  const fields = snapshot as Readonly<Record<string, Json>>;
  await store.commit({ id, expectedRevision, snapshot: { ...fields, recent } });
  await store.close();
}

const latest = 50_000;

export const durableTurnGrowth = onStores(
  import.meta.filename,
  (kind) => ({ growth: [`durable turn ${latest} over turn 10 on ${kind}`, '×', 1.15] }),
  { settings: { late: latest } },
);
