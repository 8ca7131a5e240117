import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { DeskClient } from '../service/desk-client.ts';
import type { Live } from '../service/live.ts';
import type { InboxFilter, InboxItem, Page } from '../service/protocol.ts';
import { Refresher } from './use-live.ts';

/** Milliseconds between two refreshes after changes. A search reads many conversations. */
const [pauseMs, searchPauseMs] = [700, 5_000];

export interface Inbox extends InboxState {
  /** Sets which rows are in view. */
  readonly look: (first: number, last: number) => void;
  readonly reload: () => void;
}

/** The rows of a queue, as the service returns them. */
export function useInbox(client: DeskClient, live: Live, filter: InboxFilter): Inbox {
  const key = JSON.stringify(filter);
  const { pages, ...controls } = useMemo(() => {
    const wanted = JSON.parse(key) as InboxFilter;
    const made = new InboxPages((after, limit, signal) =>
      client.inbox({ ...wanted, limit, after }, signal),
    );
    let loading: Refresher | undefined;
    const reload = () => {
      made.makeStale();
      loading?.refresh();
    };
    return {
      pages: made,
      reload,
      begin: () => {
        loading = new Refresher((signal) => made.loadView(signal), 0);
        loading.refresh();
        const changes = new Refresher(
          async () => reload(),
          wanted.q === undefined ? pauseMs : searchPauseMs,
        );
        const leave = live.onChanges(changes.refresh);
        return () => {
          leave();
          changes.stop();
          loading?.stop();
        };
      },
      look: (first: number, last: number) => {
        if (made.look(first, last)) loading?.refresh();
      },
    };
  }, [client, live, key]);
  const { begin, look, reload } = controls;
  useEffect(() => begin(), [begin]);
  const state = useSyncExternalStore(pages.observe, () => pages.state);
  return { ...state, look, reload };
}

/** Rows in a page, and the maximum number of pages: 10,000 rows. */
const [rowsInPage, pagesMax] = [200, 50];

interface InboxState {
  readonly items: readonly InboxItem[];
  /** Whether more rows can be loaded. */
  readonly hasMore: boolean;
  /** Whether there are more rows than the page keeps. */
  readonly isFull: boolean;
  readonly isLoaded: boolean;
  readonly error: unknown;
}

type LoadPage = (
  after: string | undefined,
  limit: number,
  signal: AbortSignal,
) => Promise<Page<InboxItem>>;

interface LoadedPage {
  /** The cursor that the page begins after. */
  readonly after: string | undefined;
  readonly items: readonly InboxItem[];
  readonly next: string | undefined;
  isStale: boolean;
}

const initial: InboxState = {
  items: [],
  hasMore: false,
  isFull: false,
  isLoaded: false,
  error: undefined,
};

/**
 * The rows of a queue in pages. A change makes all pages stale, and only pages in view are loaded again: the cost of a change does
 * not grow with the queue.
 */
export class InboxPages {
  readonly #load: LoadPage;
  readonly #observers = new Set<() => void>();
  #pages: LoadedPage[] = [];
  #state = initial;
  #view: readonly [first: number, last: number] = [0, 40];
  /** The number of times that the pages were made stale. */
  #changes = 0;

  constructor(load: LoadPage) {
    this.#load = load;
  }

  get state(): InboxState {
    return this.#state;
  }

  readonly observe = (observer: () => void): (() => void) => {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  };

  /** @returns whether pages in view have to be loaded */
  look(first: number, last: number): boolean {
    this.#view = [first, last];
    return this.#wanted() !== undefined;
  }

  makeStale(): void {
    this.#changes += 1;
    for (const page of this.#pages) page.isStale = true;
  }

  /** Loads the pages in view that are stale or missing. One call at a time. */
  async loadView(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const index = this.#wanted();
        if (index === undefined) break;
        await this.#loadPage(index, signal);
      }
      if (this.#state.error !== undefined) this.#set({ error: undefined });
    } catch (error) {
      if (!signal.aborted) this.#set({ error });
    }
  }

  /** The first page in view that has to be loaded. */
  #wanted(): number | undefined {
    if (this.#pages.length === 0) return 0;
    const [first, last] = this.#view;
    let row = 0;
    for (const [index, { items, isStale }] of this.#pages.entries()) {
      const end = row + items.length;
      if (isStale && row <= last && end >= first) return index;
      row = end;
    }
    const isNear = last + rowsInPage / 2 >= row;
    return isNear && this.#state.hasMore ? this.#pages.length : undefined;
  }

  async #loadPage(index: number, signal: AbortSignal): Promise<void> {
    const after = index === 0 ? undefined : this.#pages[index - 1]!.next;
    const changes = this.#changes;
    const { items, next } = await this.#load(after, rowsInPage, signal);
    signal.throwIfAborted();
    const following = this.#pages[index + 1];
    if (next === undefined) this.#pages.length = Math.min(this.#pages.length, index + 1);
    // The rows of the next pages have moved.
    else if (following && following.after !== next)
      this.#pages[index + 1] = { ...following, after: next, isStale: true };
    // A change during the request may be missing in the answer.
    this.#pages[index] = { after, items, next, isStale: changes !== this.#changes };
    const last = this.#pages.at(-1)!;
    const isFull = this.#pages.length >= pagesMax && last.next !== undefined;
    this.#set({
      items: eachOnce(this.#pages),
      hasMore: last.next !== undefined && !isFull,
      isFull,
      isLoaded: true,
      error: undefined,
    });
  }

  #set(change: Partial<InboxState>): void {
    this.#state = { ...this.#state, ...change };
    for (const observer of this.#observers) observer();
  }
}

/** A row that has moved between the loading of two pages may be in both. */
function eachOnce(pages: readonly LoadedPage[]): readonly InboxItem[] {
  const byId = new Map<string, InboxItem>();
  for (const { items } of pages) for (const item of items) byId.set(item.id, item);
  return [...byId.values()];
}
