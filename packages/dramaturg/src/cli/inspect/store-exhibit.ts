import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { visible } from '@dramaturg/compiler';
import type { Charts, InstanceSummary } from '@dramaturg/host';
import type {
  DefinitionText,
  Exhibit,
  Run,
  RunMessage,
  SendOrder,
} from '@dramaturg/inspector/server';
import type { ReadingDesk } from '../host/desk/desk.ts';
import { openDesk, openReading, ownerName, runningHost } from '../host/desk/open-desk.ts';
import type { HostSettings } from '../host/desk/open-host.ts';
import { UsageError } from '../usage-error.ts';
import { definitionText } from './definition-text.ts';
import { Past } from './past.ts';

export interface StoreExhibitOptions {
  readonly folder: string;
  readonly allowsSending: boolean;
  /** The store is not opened: its host is waited for. */
  readonly isAttached: boolean;
  /** How the store is opened to send something while no host runs. */
  readonly settings: Pick<
    HostSettings,
    'agents' | 'model' | 'baseUrl' | 'webhook' | 'limits' | 'within'
  >;
}

/** Milliseconds between two looks at a run: of a host that runs, and of a store in which nothing happens by itself. */
const lookEvery = { served: 250, stored: 1_500 };

/** A store with many instances is listed the less often, the longer it takes: one part in so many of the time. */
const listingShare = 20;

/** Runs that are listed, the newest of them. */
const mostRuns = 1_000;

/**
 * The instances of a store. Whether a host runs it is found out at each look, so that one may stop and another start while
 * the page is open; without one the store is opened for a moment each time, and other commands find it free.
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
    this.title = options.folder;
    this.allowsSending = options.allowsSending;
  }

  readonly runs = async (): Promise<readonly Run[]> => {
    if (performance.now() < this.#listAgainAt) return this.#listed;
    const begun = performance.now();
    const items = await this.#look(async (desk) => {
      const all: InstanceSummary[] = [];
      for (let after: string | undefined; ;) {
        const page = await desk.list(
          {},
          { limit: 1_000, ...(after === undefined ? {} : { after }) },
        );
        all.push(...page.items);
        if (page.next === undefined) return all;
        after = page.next;
      }
    });
    this.#listed = items.slice(-mostRuns).map(({ id, definition, state, ended, updatedAt }) => ({
      id,
      title: definition.name,
      state,
      ended,
      updatedAt,
    }));
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
    const past = await this.#look(async (desk) => {
      const charts = await desk.charts(id);
      const begun = new Past(id, charts);
      await catchUp(begun, id, desk, until);
      const sources = sourcesOf(charts);
      tell({ kind: 'recording', sources, ...begun.inspector.recording() });
      tell({ kind: 'status', live: desk.isServed });
      return begun;
    });
    if (until !== undefined) {
      // Nothing more happens up to there.
      if (!signal.aborted) await once(signal, 'abort');
      return;
    }
    let isLive: boolean | undefined;
    past.inspector.subscribe((event) => tell({ kind: 'events', events: [event] }));
    while (!signal.aborted) {
      try {
        const live = await this.#look(async (desk) => {
          await catchUp(past, id, desk);
          return desk.isServed;
        });
        if (live !== isLive) tell({ kind: 'status', live });
        isLive = live;
      } catch (error) {
        // It may come back: whoever looks is told meanwhile.
        tell({ kind: 'status', live: false, because: messageOf(error) });
        isLive = undefined;
      }
      await pause(isLive ? lookEvery.served : lookEvery.stored, undefined, { signal }).catch(
        () => {},
      );
    }
  };

  readonly send = async (id: string, { event }: SendOrder): Promise<string | undefined> => {
    try {
      const { type, text } = event;
      const answer = await this.#work((desk) =>
        type === 'intervene' && typeof text === 'string'
          ? desk.intervene(id, text)
          : desk.send(id, event),
      );
      return answer.accepted ? undefined : answer.because;
    } catch (error) {
      return messageOf(error);
    }
  };

  readonly fork = (id: string, step: number): Promise<{ readonly id: string }> =>
    this.#work((desk) => desk.fork(id, { step }));

  async #look<Value>(work: (desk: ReadingDesk) => Promise<Value>): Promise<Value> {
    const { folder, isAttached } = this.#options;
    const host = await runningHost(folder);
    if (host) return work(host);
    if (isAttached) throw new UsageError('The host is away. Waiting for it to come back.');
    return this.#alone(async () => {
      const desk = await openReading(folder, 'inspect');
      try {
        return await work(desk);
      } finally {
        await desk.close();
      }
    });
  }

  async #work<Value>(
    work: (desk: Awaited<ReturnType<typeof openDesk>>) => Promise<Value>,
  ): Promise<Value> {
    const { folder, isAttached, settings } = this.#options;
    const host = await runningHost(folder);
    if (host) return work(host);
    if (isAttached) throw new UsageError('The host is away, and takes nothing.');
    return this.#alone(async () => {
      const name = ownerName('inspect');
      const desk = await openDesk({ folder, name, show: () => {}, ...settings });
      try {
        const value = await work(desk);
        await desk.settle();
        return value;
      } finally {
        await desk.close();
      }
    });
  }

  /** A store has one owner, in this process as well. */
  #alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#opening.then(work);
    this.#opening = turn.catch(() => {});
    return turn;
  }
}

/** Lines of a journal that are read at once. */
const linesAtOnce = 5_000;

async function catchUp(past: Past, id: string, desk: ReadingDesk, until?: number): Promise<void> {
  for (;;) {
    const { lines: from } = past;
    const lines = await desk.journal(id, { from, limit: linesAtOnce });
    await past.take(lines, until);
    if (past.lines < from + linesAtOnce) return;
  }
}

function sourcesOf({ lifecycle, flow }: Charts): readonly DefinitionText[] {
  return [flow, lifecycle].flatMap((stored) =>
    stored?.source ? [definitionText(stored.chart, stored.ref.name, stored.source.text)] : [],
  );
}

function messageOf(error: unknown): string {
  return visible(error instanceof Error ? error.message : String(error));
}
