import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { langGraph, sqliteSaver } from '../host/langgraph.ts';
import { Stage } from '../host/stage.ts';
import { storeAt, storeFolder } from '../host/stores.ts';
import type { Benchmark } from '../measure.ts';

const turns = 500;

/** Takes the turns of one conversation in a folder, and closes everything that it has opened there. */
type Conversation = (folder: string) => Promise<void>;

const inLangGraph =
  (delta: boolean): Conversation =>
  async (folder) => {
    const saver = sqliteSaver(join(folder, 'langgraph.db'));
    saver.db.pragma('synchronous = FULL');
    const take = langGraph(saver, { delta, deliver: () => {} });
    for (let turn = 1; turn <= turns; turn += 1) await take('thread', turn);
    saver.db.close();
  };

const ours: Conversation = async (folder) => {
  const stage = await Stage.open(storeAt({ kind: 'sqlite', folder }, 'always'));
  await stage.begin('thread');
  for (let turn = 1; turn <= turns; turn += 1) await stage.turn('thread', turn);
  await stage.host.stop();
};

/** The disk space of one long conversation, when every step is flushed. It does not depend on the speed of the machine. */
export const threadSize: readonly Benchmark[] = [
  sizeOf('ours on sqlite', ours),
  sizeOf('LangGraph with SqliteSaver', inLangGraph(false)),
  sizeOf('LangGraph with SqliteSaver and DeltaChannel', inLangGraph(true)),
];

function sizeOf(name: string, converse: Conversation): Benchmark {
  return {
    name: `size of a thread of ${turns} turns, ${name}`,
    unit: 'MB',
    rounds: 1,
    prepare: async () => async () => {
      const folder = storeFolder(`thread of ${name}`);
      await converse(folder);
      const sizes = readdirSync(folder).map((file) => statSync(join(folder, file)).size);
      return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
    },
  };
}
