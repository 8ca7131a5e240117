import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { isRecord, type Json } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { visible } from '@dramaturg/compiler/text';
import { type Charts, InstanceHistory, type InstanceSummary, type PastStep } from '@dramaturg/host';
import { createInspector, type Inspector, watchGuards } from '@dramaturg/inspector';
import type {
  DefinitionText,
  Exhibit,
  Run,
  RunMessage,
  SendOrder,
} from '@dramaturg/inspector/server';
import { formats } from '../../known-formats.ts';
import type { ReadingGateway } from '../host/gateway/gateway.ts';
import { openGateway, openReading, ownerName, runningHost } from '../host/gateway/open-gateway.ts';
import type { HostSettings } from '../host/gateway/open-host.ts';
import { restateAt } from '../host/restate/location.ts';
import { UsageError } from '../usage-error.ts';
import { definitionText } from './live.ts';

export interface StoreExhibitOptions {
  readonly folder: string;
  readonly allowsSending: boolean;
  /** Reads only through a host and waits for it, instead of opening the store. */
  readonly isAttached: boolean;
  /** Settings for opening the store to send something while no host runs. */
  readonly settings: Pick<
    HostSettings,
    | 'agents'
    | 's3'
    | 'mcpServer'
    | 'mcpConfig'
    | 'pool'
    | 'model'
    | 'baseUrl'
    | 'combineReplies'
    | 'webhook'
    | 'limits'
    | 'callTimeout'
    | 'settleTimeoutMs'
  >;
}

/** Milliseconds between two reads of a run: from a running host, and from a store without a host. */
const pollIntervalMs = { served: 250, stored: 1_500 };

/** Listing instances takes at most one twentieth of the time: slow listings are repeated less often. */
const listingShare = 20;

/** How many runs are listed, the newest first. */
const mostRuns = 1_000;

/**
 * The instances of a store, for the inspector's page. Each read checks whether a host runs, so hosts may stop and start
 * while the page is open. Without a host, each read opens the store for a moment, so other commands can use it.
 * Invariant: at most one read or write of this process has the store open, see `#alone`.
 */
export class StoreExhibit implements Exhibit {
  readonly title: string;
  readonly allowsSending: boolean;
  readonly #options: StoreExhibitOptions;
  #opening: Promise<unknown> = Promise.resolve();
  #listed: readonly Run[] = [];
  #listAgainAt = 0;

  constructor(options: StoreExhibitOptions) {
    this.#options = options;
    this.title = titleFor(options.folder);
    this.allowsSending = options.allowsSending;
  }

  readonly runs = async (): Promise<readonly Run[]> => {
    if (performance.now() < this.#listAgainAt) return this.#listed;
    const begun = performance.now();
    const items = await this.#look(async (gateway) => {
      const all: InstanceSummary[] = [];
      for (let after: string | undefined; ;) {
        const page = await gateway.list({ limit: 1_000, after });
        all.push(...page.items);
        if (page.next === undefined) return all;
        after = page.next;
      }
    });
    this.#listed = items.slice(-mostRuns).map(runOf);
    const now = performance.now();
    this.#listAgainAt = now + listingShare * (now - begun);
    return this.#listed;
  };

  readonly follow = async (
    id: string,
    tell: (message: RunMessage) => void,
    signal: AbortSignal,
    until?: number,
  ): Promise<void> => {
    const past = await this.#look(async (gateway) => {
      const charts = await gateway.charts(id);
      const begun = new Past(id, charts, () => this.#look((now) => now.charts(id)));
      await catchUp(begun, id, gateway, signal, until, () =>
        tell({
          kind: 'status',
          live: false,
          because: `Repeating the recorded steps: ${begun.lines} lines of the journal so far.`,
        }),
      );
      const sources = sourcesOf(charts);
      tell({ kind: 'recording', sources, ...begun.inspector.recording() });
      tell({ kind: 'status', live: gateway.isServed });
      return begun;
    });
    if (until !== undefined) {
      // A run up to a past step does not change.
      if (!signal.aborted) await once(signal, 'abort');
      return;
    }
    let isLive: boolean | undefined;
    past.inspector.subscribe((event) => tell({ kind: 'events', events: [event] }));
    while (!signal.aborted) {
      try {
        const live = await this.#look(async (gateway) => {
          await catchUp(past, id, gateway, signal);
          return gateway.isServed;
        });
        if (live !== isLive) tell({ kind: 'status', live });
        isLive = live;
      } catch (error) {
        // The host may come back. Until then the page shows why there is no data.
        tell({ kind: 'status', live: false, because: messageOf(error) });
        isLive = undefined;
      }
      const interval = isLive ? pollIntervalMs.served : pollIntervalMs.stored;
      await pause(interval, undefined, { signal }).catch(() => {});
    }
  };

  readonly send = async (id: string, { event }: SendOrder): Promise<string | undefined> => {
    try {
      const { type, text } = event;
      const answer = await this.#work((gateway) =>
        type === 'intervene' && typeof text === 'string'
          ? gateway.intervene(id, { text })
          : gateway.send(id, { event }),
      );
      return answer.accepted ? undefined : answer.because;
    } catch (error) {
      return messageOf(error);
    }
  };

  readonly fork = (id: string, step: number): Promise<{ readonly id: string }> =>
    this.#work(async (gateway) => {
      const name = `${id}-step-${step}`;
      for (let count = 1; ; count += 1) {
        try {
          return await gateway.fork(id, { step, id: count === 1 ? name : `${name}-${count}` });
        } catch (error) {
          if (!isTaken(error)) throw error;
        }
      }
    });

  async #look<Value>(work: (gateway: ReadingGateway) => Promise<Value>): Promise<Value> {
    const { folder, isAttached } = this.#options;
    const host = await runningHost(folder);
    if (host) return work(host);
    if (isAttached) throw new UsageError('The host has stopped. Waiting for it to start again.');
    return this.#alone(async () => {
      const gateway = await openReading(folder);
      try {
        return await work(gateway);
      } finally {
        await gateway.close();
      }
    });
  }

  async #work<Value>(
    work: (gateway: Awaited<ReturnType<typeof openGateway>>) => Promise<Value>,
  ): Promise<Value> {
    const { folder, isAttached, settings } = this.#options;
    const host = await runningHost(folder);
    if (host) return work(host);
    if (isAttached) throw new UsageError('The host has stopped, so nothing can be sent.');
    return this.#alone(async () => {
      const name = ownerName('inspect');
      const gateway = await openGateway({ folder, name, show: () => {}, ...settings });
      try {
        const value = await work(gateway);
        await gateway.settle();
        return value;
      } finally {
        await gateway.close();
      }
    });
  }

  /** Runs one piece of work at a time: a store has one owner, also within this process. */
  #alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#opening.then(work);
    this.#opening = turn.catch(() => {});
    return turn;
  }
}

function runOf({ id, definition, contact, state, ended, queue, updatedAt }: InstanceSummary): Run {
  return {
    id,
    title: definition.name,
    state,
    ended,
    failed: queue === 'failed' || (ended && state === failedState),
    ...(contact === undefined ? {} : { contact }),
    updatedAt,
  };
}

/** The terminal state for failures, in the lifecycles of conversations and workflows. */
const failedState = 'FAILED';

function titleFor(store: string): string {
  const location = restateAt(store);
  return location ? `${location.namespace} on Restate at ${location.ingress}` : store;
}

/** How many lines of a journal one read returns. */
const linesAtOnce = 1_000;

async function catchUp(
  past: Past,
  id: string,
  gateway: ReadingGateway,
  signal: AbortSignal,
  until?: number,
  onPage: () => void = () => {},
): Promise<void> {
  while (!signal.aborted) {
    const { lines: from } = past;
    const lines = await gateway.journal(id, { from, limit: linesAtOnce });
    await past.take(lines, until);
    if (past.lines < from + linesAtOnce) return;
    onPage();
  }
}

function sourcesOf({ lifecycle, flow }: Charts): readonly DefinitionText[] {
  return [flow, lifecycle].flatMap((stored) =>
    stored?.source ? [definitionText(stored.chart, stored.ref.name, stored.source.text)] : [],
  );
}

/** Whether an instance with the id exists already, in this process or in a service. */
function isTaken(error: unknown): boolean {
  return Object(error).code === 'host/exists';
}

function messageOf(error: unknown): string {
  return visible(error instanceof Error ? error.message : String(error));
}

/**
 * Replays the journal of a stored instance into an inspector. It owns the replayed actors; `lines` says how far it has
 * read. Lines must come in order and once each.
 */
class Past {
  readonly inspector: Inspector;
  readonly #history: InstanceHistory;
  #at = 0;
  #lines = 0;
  #departures = 0;
  #last: PastStep | undefined;

  /** @param rereadCharts reads the charts again, when the instance was migrated since */
  constructor(id: string, charts: Charts, rereadCharts: () => Promise<Charts>) {
    const inspector = createInspector({ now: () => this.#at });
    const behaviours = new Map<string, Behaviour>(
      formats.map(({ name, behaviour }) => [name, watchGuards(behaviour, inspector.recordGuard)]),
    );
    this.inspector = inspector;
    this.#history = new InstanceHistory({
      id,
      charts,
      rereadCharts,
      behaviours,
      inspect: inspector.inspect,
      onStep: (step) => this.#begin(step),
    });
  }

  /** The number of lines of the journal that were replayed. */
  get lines(): number {
    return this.#lines;
  }

  /** @param until the last step to take */
  async take(lines: readonly Json[], until = Infinity): Promise<void> {
    for (const line of lines) {
      if (this.#history.steps >= until && isStep(line)) return;
      this.#lines += 1;
      await this.#history.take([line]);
      const departure = this.#history.departures[this.#departures];
      if (!departure || !this.#last) continue;
      this.#departures += 1;
      this.#note(this.#last, departure.because);
    }
  }

  #begin(step: PastStep): void {
    this.#last = step;
    this.#at = step.at;
    this.#note(step);
  }

  #note({ number, input }: PastStep, departs?: string): void {
    this.inspector.note({
      type: '@dramaturg.step',
      sessionId: 'instance',
      step: number,
      event: input.type === 'event.taken' ? input.event : input,
      ...(departs === undefined
        ? {}
        : {
            departs: `This version decides differently from the one that recorded it: ${departs}`,
          }),
    });
  }
}

function isStep(line: Json): boolean {
  return isRecord(line) && line['source'] === 'step';
}
