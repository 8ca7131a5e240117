import { setTimeout as pause } from 'node:timers/promises';
import { isRecord, type Json } from '@dramaturg/compiler';
import type { HostEvent } from '@dramaturg/host';
import { restateHost } from '../../../restate.ts';
import { exitCodes, UsageError } from '../../usage-error.ts';
import type { Desk, Events, ServedDesk } from '../desk/desk.ts';
import { LocalDesk } from '../desk/local-desk.ts';
import type { RestateLocation } from './location.ts';

const desks = new Map<string, Promise<RestateDesk>>();

/** The desk of the instances on a Restate server, which the handlers of other processes run. */
export function restateDesk(location: RestateLocation): Promise<RestateDesk> {
  const key = JSON.stringify(location);
  const known = desks.get(key) ?? RestateDesk.open(location);
  desks.set(key, known);
  return known;
}

/** Milliseconds between two reads of a journal. */
const pollIntervalMs = 250;

const linesAtOnce = 500;

/** Calls the handlers of other processes. It serves none itself, so there is nothing to close. */
class RestateDesk extends LocalDesk implements ServedDesk {
  override readonly isServed = true;
  override readonly settle = () => Promise.resolve(undefined);
  override readonly close = () => Promise.resolve();

  static async open({ ingress, admin, namespace }: RestateLocation): Promise<RestateDesk> {
    const host = await restateHost({ ingress, admin, namespace, handlers: false });
    return new RestateDesk(host, { settleTimeoutMs: 0, channels: [], folder: ingress });
  }

  override readonly backup: Desk['backup'] = () =>
    Promise.reject(
      new UsageError(
        'Restate keeps its data itself, so there is nothing here to copy.',
        'Configure snapshots of its partitions to an object store.',
      ),
    );

  /** Reads the journal of the instance again and again: handlers in other processes write it. */
  readonly events: ServedDesk['events'] = async ({ instance }) => {
    if (instance === undefined) {
      throw new UsageError(
        'On Restate, events are read from the journal of one instance, and none is named.',
        'Name one: "dramaturg ps" lists them.',
        exitCodes.usage,
      );
    }
    const { journalLength } = await this.get(instance);
    const closing = new AbortController();
    return {
      [Symbol.asyncIterator]: () => this.#eventsFrom(instance, journalLength, closing.signal),
      close: () => closing.abort(),
    } satisfies Events;
  };

  async *#eventsFrom(
    instance: string,
    first: number,
    closing: AbortSignal,
  ): AsyncGenerator<HostEvent> {
    let from = first;
    while (!closing.aborted) {
      // An instance that had ended before this read writes no more lines after it.
      const { ended } = await this.get(instance);
      const lines = await this.journal(instance, { from, limit: linesAtOnce });
      from += lines.length;
      for (const line of lines) if (isEvent(line)) yield Object.assign({ instance }, line);
      if (lines.length === linesAtOnce) continue;
      if (ended) return;
      await pause(pollIntervalMs, undefined, { signal: closing }).catch(() => {});
    }
  }
}

type JournalledEvent = Json & Omit<HostEvent, 'instance'>;

/** The journal also has the steps that have decided the events. */
function isEvent(line: Json): line is JournalledEvent {
  return isRecord(line) && line['source'] !== 'step' && isRecord(line['event']);
}
