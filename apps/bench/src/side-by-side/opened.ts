import { Answers } from './answers.ts';
import type { ContenderSettings } from './contender.ts';
import { type ContenderName, contenders } from './contenders.ts';
import { Load } from './load.ts';

export interface ProcessSettings extends ContenderSettings {
  readonly name: ContenderName;
  /** The number of conversations that the senders share. */
  readonly conversations: number;
}

/** The number of conversations that are started at a time. */
const startedTogether = 32;

/** Opens a contender and starts its conversations. Every answer that it delivers is compared with what it has to be. */
export async function openContender(
  settings: ProcessSettings,
  onProgress: (step: string) => void,
): Promise<{ readonly load: Load; readonly close: () => Promise<void> }> {
  const { name, conversations } = settings;
  const ids = Array.from({ length: conversations }, (_, index) => `conversation-${index}`);
  const answers = new Answers();
  const contender = await contenders[name](settings, (id, text) => answers.deliver(id, text));
  onProgress(`${name}: starting ${conversations} conversations`);
  for (let from = 0; from < ids.length; from += startedTogether)
    await Promise.all(
      ids.slice(from, from + startedTogether).map(async (id) => contender.begin?.(id)),
    );
  const checked = {
    ...contender,
    turn: async (id: string, turn: number) => {
      await contender.turn(id, turn);
      answers.check(id, turn);
    },
  };
  return {
    load: new Load(checked, ids),
    close: async () => contender.close?.(),
  };
}
