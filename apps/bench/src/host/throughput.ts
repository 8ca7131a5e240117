import { join } from 'node:path';
import { deployedNote, deployedOptions } from '../own-process/own-process.ts';
import type { Prepare } from '../measure.ts';
import {
  mean,
  onStores,
  PlainFile,
  quantile,
  storeAt,
  type StoreSettings,
  timed,
} from './stores.ts';
import { Stage } from './stage.ts';
import { writesOfTurn } from './turn-cost.ts';

/** Numbers of contacts, with the turns of a sample. A percentile needs many turns. */
const crowds = [
  { contacts: 1, turns: 400 },
  { contacts: 10, turns: 400 },
  { contacts: 100, turns: 2_000 },
] as const;

/** The first turns of a process take several times as long. */
const warmUp = 2_000;

/**
 * Measures turns of 1, 10 and 100 contacts on a store that always flushes. Each contact sends its next message after the answer
 * to the one before. Between them, the writes of turns are appended to a plain file with the same flushes.
 */
export const prepare: Prepare<StoreSettings> = async (settings) => {
  const writes = await writesOfTurn(settings);
  const file = new PlainFile(join(settings.folder, 'plain'));
  const crowd = await Crowd.open(settings);
  await crowd.take(warmUp, 100);
  const sampleOf = async ({ contacts, turns }: (typeof crowds)[number]) => {
    const floors: number[] = [];
    const measureFloors = async () => {
      for (let count = 0; count < 25; count += 1)
        floors.push(await timed(() => file.write(writes)));
    };
    await measureFloors();
    const taken = await crowd.take(turns, contacts);
    await measureFloors();
    return { ...taken, floor: mean(floors) };
  };
  return {
    sample: async () => {
      const readings: Record<string, number> = {};
      for (const crowdOfSample of crowds) {
        const { contacts } = crowdOfSample;
        const { turn, floor, burst, acknowledgements } = await sampleOf(crowdOfSample);
        const [median, p99] = [quantile(acknowledgements, 0.5), quantile(acknowledgements, 0.99)];
        readings[`rate${contacts}`] = 1_000 / turn;
        readings[`overFloor${contacts}`] = turn / floor;
        readings[`median${contacts}`] = median;
        readings[`p99Of${contacts}`] = p99;
        readings[`spread${contacts}`] = p99 / median;
        readings[`burst${contacts}`] = burst;
      }
      return readings;
    },
    close: () => crowd.stop(),
  };
};

const contactsMax = Math.max(...crowds.map(({ contacts }) => contacts));

/** The durations of turns, in milliseconds. */
interface Taken {
  readonly turn: number;
  /** The time until the last of the first messages was stored. */
  readonly burst: number;
  /** The time until each later message was stored. */
  readonly acknowledgements: readonly number[];
}

/** A host with conversations of many contacts. */
class Crowd {
  readonly #stage: Stage;
  /** The last turn of each contact. */
  readonly #turns = new Map<string, number>();

  private constructor(stage: Stage) {
    this.#stage = stage;
  }

  static async open(settings: StoreSettings): Promise<Crowd> {
    const crowd = new Crowd(await Stage.open(storeAt(settings, 'always')));
    for (let number = 0; number < contactsMax; number += 1) {
      const id = `contact-${number}`;
      await crowd.#stage.begin(id);
      crowd.#turns.set(id, 0);
    }
    return crowd;
  }

  /**
   * Takes turns with some of the contacts at the same time. All write their first messages at the same moment, so these are a
   * separate load.
   *
   * @returns the time for each turn, in milliseconds
   */
  async take(count: number, contacts: number): Promise<Taken> {
    const first: number[] = [];
    const acknowledgements: number[] = [];
    let begun = 0;
    const converse = async (id: string) => {
      for (let times = first; begun < count; times = acknowledgements) {
        begun += 1;
        const turn = this.#turns.get(id)! + 1;
        this.#turns.set(id, turn);
        const answered = this.#stage.receiptOf(id);
        times.push(await timed(() => this.#stage.say(id, turn)));
        await answered;
      }
    };
    const ids = [...this.#turns.keys()].slice(0, contacts);
    const took = await timed(() => Promise.all(ids.map(converse)));
    return { turn: took / begun, burst: Math.max(...first), acknowledgements };
  }

  stop(): Promise<void> {
    return this.#stage.stop();
  }
}

/** Turns of several contacts at the same time, each stored before any of its effects leave. */
export const throughput = onStores(
  import.meta.filename,
  (kind) => {
    const turn = (contacts: number) => `turn of one of ${contacts} contacts on ${kind}`;
    const acknowledged = (who: string) => `acknowledgement for ${who} contacts on ${kind}`;
    return {
      overFloor100: [`${turn(100)} over appending and flushing its writes alone`, '×', 2],
      overFloor10: [`${turn(10)} over appending and flushing its writes alone`, '×', 2],
      spread100: [`${acknowledged('one of 100')}, 99th percentile over median`, '×', 2],
      burst100: [`${acknowledged('the last of 100')} that write at the same moment`, 'ms'],
      ...Object.fromEntries(
        crowds.flatMap(({ contacts }) => [
          [`rate${contacts}`, [`turns of ${contacts} contacts on ${kind}`, '/s']],
          [`median${contacts}`, [acknowledged(`one of ${contacts}`), 'ms']],
          [`p99Of${contacts}`, [`${acknowledged(`one of ${contacts}`)}, 99th percentile`, 'ms']],
        ]),
      ),
    };
  },
  { rounds: 7, note: deployedNote, options: deployedOptions },
);
