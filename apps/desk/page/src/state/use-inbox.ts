import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { DeskClient } from '../service/desk-client.ts';
import type { Live } from '../service/live.ts';
import type { InboxFilter } from '../service/protocol.ts';
import { InboxPages, type InboxState } from './inbox-pages.ts';
import { Refresher } from './use-live.ts';

/** Milliseconds between two refreshes of the list. A search reads many conversations. */
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reload = () => {
      timer = undefined;
      made.makeStale();
      loading?.refresh();
    };
    return {
      pages: made,
      reload,
      begin: () => {
        loading = new Refresher((signal) => made.loadView(signal), 0);
        loading.refresh();
        const leave = live.onChanges(() => {
          timer ??= setTimeout(reload, wanted.q === undefined ? pauseMs : searchPauseMs);
        });
        return () => {
          leave();
          clearTimeout(timer);
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
