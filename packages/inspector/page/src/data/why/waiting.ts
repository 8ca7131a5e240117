import type { RecordedActor } from '../../../../src/recording.ts';
import type { Actors } from '../playback.ts';

/** What people call the answers of ports. */
const answers: Readonly<Record<string, string>> = {
  reply: 'the reply of the model',
  choose: 'the choice of the model',
  extract: 'the data that the model finds',
  think: 'a thought of the model',
  recall: 'what is remembered',
  callTool: 'the answer of a tool',
  runAgent: 'the answer of an agent',
  requestDecision: 'a decision',
  timer: 'a timer',
};

/** What an actor waits for: its open calls and its items. */
export function waitingFor(actor: RecordedActor, actors: Actors): string | undefined {
  const open = [...actors.values()].filter(
    ({ parentId, snapshot }) => parentId === actor.sessionId && snapshot.status === 'active',
  );
  const words = open.map(({ call, name, snapshot: { items } }) => {
    if (items) return `its items (${items.ended}/${items.total})`;
    return call ? (answers[call.port] ?? `the port "${call.port}"`) : name;
  });
  return words.length > 0 ? [...new Set(words)].join(' and ') : undefined;
}
