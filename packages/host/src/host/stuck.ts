import { type Json, type PortName, portSchemas } from '@dramaturg/compiler';
import type { Source } from '../instance/event.ts';
import { callLetter, continuation } from '../instance/letter.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import type { Letter, Store, StoreReader, StoreRecord, Verification } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { readPages } from '../store/pages.ts';
import { callInputsIn, pausesIn } from '../xstate/persisted-snapshot.ts';

/** An instance with work left that no host would continue (H9). `dramaturg repair` wakes it. */
export interface StuckInstance {
  readonly id: string;
  /** A sentence that names the work that nothing would continue. */
  readonly reason: string;
}

/** The damage of a store, and its stuck instances. */
export interface HostVerification extends Verification {
  readonly stuck: readonly StuckInstance[];
}

/** The fields of a record about the work of an instance, and about what continues it. */
type OpenWork = Pick<StoreRecord, 'id' | 'kind' | 'ended' | 'snapshot' | 'parts' | 'timers'> & {
  readonly outbox: readonly Pick<Letter, 'id'>[];
};

/** Finds the stuck instances among the running ones. Damaged instances are left out. */
export async function findStuck(store: StoreReader): Promise<StuckInstance[]> {
  const stuck: StuckInstance[] = [];
  const open = { kind: 'instance', ended: false };
  for await (const records of readPages((page) => store.list(open, page)))
    for (const { id } of records) {
      const record = await unlessDamaged(store.read(id));
      const reason = record && whyStuck(record);
      if (reason !== undefined) stuck.push({ id, reason });
    }
  return stuck;
}

/**
 * Looks for work of an instance that has no stored reason to continue: a letter, a timer, a question, or a child (H9).
 *
 * @returns a sentence; undefined when all of its work has such a reason
 */
export function whyStuck(record: OpenWork): string | undefined {
  const { kind, ended, outbox, timers } = record;
  if (kind !== 'instance' || ended || Object(record.snapshot).forking === true) return undefined;
  const { lifecycle, flow = null, turn, children = {}, repeated = {} } = stateOf(record);
  const letters = new Set(outbox.map(({ id }) => id));
  const timerKeys = new Set(timers.map(({ key }) => key));
  const hasReason = (port: PortName, letter: string) => {
    if (port === 'timer' || (repeated[letter]?.at ?? null) !== null) return timerKeys.has(letter);
    return port === 'requestDecision' || letters.has(letter) || Object.hasOwn(children, letter);
  };
  const missing = (source: Source, machine: Json): string | undefined => {
    for (const port of Object.keys(portSchemas) as PortName[])
      for (const { key } of callInputsIn(machine, port))
        if (typeof key === 'string' && !hasReason(port, callLetter(source, key)))
          return `Its call ${JSON.stringify(key)} of the port "${port}" waits for nothing that is stored.`;
    return undefined;
  };
  if (letters.has(continuation)) return undefined;
  // Between turns and in a reminder, the flow does not move.
  const works = turn !== null && !turn.followUp;
  if (works && pausesIn(flow))
    return 'A list has items that wait to be started, and nothing that is stored starts them.';
  return missing('lifecycle', lifecycle.snapshot) ?? (works ? missing('flow', flow) : undefined);
}

/** Stores a letter with which the next host continues a stuck instance. */
export async function wakeStuck(store: Store, id: string): Promise<void> {
  const record = await store.read(id);
  if (!record || whyStuck(record) === undefined) return;
  const effects = [{ id: continuation, body: { kind: continuation } }];
  await store.commit({ id, expectedRevision: record.revision, effects });
}

async function unlessDamaged<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store/damaged') return undefined;
    throw error;
  }
}
