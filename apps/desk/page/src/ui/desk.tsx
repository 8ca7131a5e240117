import {
  type Ref,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { type Connection, DeskClient } from '../service/desk-client.ts';
import { Live } from '../service/live.ts';
import { type Operator, queues } from '../service/protocol.ts';
import { addressOf, type Route, routeOf } from '../state/route.ts';
import { useStored } from '../state/stored.ts';
import { useLive } from '../state/use-live.ts';
import { hasScope } from '../state/use-session.ts';
import { wording } from '../wording.ts';
import { ActivityView } from './activity/activity-view.tsx';
import { DecisionInbox } from './decisions/decision-inbox.tsx';
import { deskContext } from './desk-context.ts';
import { InboxView } from './inbox-view.tsx';
import { Problem } from './problem.tsx';
import { Rail, useTheme } from './rail/rail.tsx';
import { useNotifications } from './use-notifications.ts';
import { useShortcuts } from './use-shortcuts.ts';

interface DeskProps {
  readonly me: Operator;
  readonly connection: Connection;
  /** Absent if the service requires no token. */
  readonly onSignOut: (() => void) | undefined;
}

const [firstQueue] = queues;

/** The desk of one operator. */
export function Desk({ me, connection, onSignOut }: DeskProps) {
  const client = useMemo(() => new DeskClient(connection, me.name), [connection, me.name]);
  const live = useFollowed(connection);
  const [route, go] = useRoute();
  const theme = useTheme();
  const [shortcuts, setShortcuts] = useStored('shortcuts', ['on', 'off']);
  const [isRailOpen, setRailOpen] = useState(false);
  const help = useRef<HTMLDialogElement>(null);
  const { said, errors, say, complain, dismiss } = useNotices();
  const counts = useLive(live, 'queues', client.queues, { pauseMs: 700 });
  const notifications = useNotifications(counts.value, () =>
    go({ view: 'queue', filter: { queue: firstQueue } }),
  );
  const connectionState = useSyncExternalStore(live.observe, () => live.state);
  const openQueue = (index: number) => () => {
    const queue = queues[index]!;
    if (queue === 'decisions') go({ view: 'decisions', filter: { queue } });
    else go({ view: 'queue', filter: { queue } });
  };
  useShortcuts(
    {
      ...Object.fromEntries(queues.map((_, index) => [String(index + 1), openQueue(index)])),
      '?': () => help.current?.showModal(),
    },
    shortcuts === 'on',
  );
  const context = useMemo(
    () => ({
      client,
      live,
      me,
      mayOperate: hasScope(me, 'operate'),
      isKnown: connection.hasToken,
      say,
      complain,
    }),
    [client, live, me, connection, say, complain],
  );
  return (
    <deskContext.Provider value={context}>
      <div className="desk" data-rail={isRailOpen ? 'open' : 'closed'} data-view={route.view}>
        <Rail
          route={route}
          counts={counts.value}
          connection={connectionState}
          go={(to) => {
            setRailOpen(false);
            go(to);
          }}
          settings={{ theme, shortcuts, setShortcuts, notifications }}
          onHelp={() => help.current?.showModal()}
          onClose={() => setRailOpen(false)}
          onSignOut={onSignOut}
        />
        <main className="main">
          <h1 className="dg-visually-hidden">{wording.title}</h1>
          {counts.error !== undefined && <Problem error={counts.error} onRetry={counts.reload} />}
          {route.view === 'queue' && (
            <InboxView
              route={route}
              go={go}
              hasShortcuts={shortcuts === 'on'}
              onMenu={() => setRailOpen(true)}
            />
          )}
          {route.view === 'decisions' && (
            <DecisionInbox route={route} go={go} onMenu={() => setRailOpen(true)} />
          )}
          {route.view === 'activity' && <ActivityView go={go} onMenu={() => setRailOpen(true)} />}
          <div className="notices">
            <p role="status" aria-live="polite">
              {said}
            </p>
            {errors.map(({ id, error }) => (
              <Problem key={id} error={error} onDismiss={() => dismiss(id)} />
            ))}
          </div>
        </main>
        <HelpDialog ref={help} />
        <p className="dg-visually-hidden" role="status">
          {connectionState === 'lost' ? wording.connection.lost : ''}
        </p>
      </div>
    </deskContext.Provider>
  );
}

/** The events of the service, while the component is mounted. */
function useFollowed(connection: Connection): Live {
  const [live, setLive] = useState(() => new Live(connection));
  useEffect(() => {
    const made = new Live(connection);
    setLive(made);
    made.start();
    return () => made.stop();
  }, [connection]);
  return live;
}

/** The keyboard shortcuts of the page. */
function HelpDialog({ ref }: { readonly ref: Ref<HTMLDialogElement> }) {
  const { title, keys, close, off } = wording.help;
  return (
    <dialog className="dialog" ref={ref} aria-labelledby="help-title">
      <h2 id="help-title">{title}</h2>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">{off}</p>
      <form method="dialog">
        <button type="submit">{close}</button>
      </form>
    </dialog>
  );
}

const shownMs = 5_000;
const errorsMax = 3;

/** Short sentences for the operator, and errors until they are dismissed. */
function useNotices() {
  const [said, setSaid] = useState('');
  const [errors, setErrors] = useState<readonly { readonly id: number; readonly error: unknown }[]>(
    [],
  );
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), shownMs);
    return () => clearTimeout(timer);
  }, [said]);
  const say = useCallback((text: string) => setSaid(text), []);
  const complain = useCallback((error: unknown) => {
    setErrors((before) => [
      ...before.slice(1 - errorsMax),
      { id: (before.at(-1)?.id ?? 0) + 1, error },
    ]);
  }, []);
  const dismiss = useCallback(
    (id: number) => setErrors((before) => before.filter((each) => each.id !== id)),
    [],
  );
  return { said, errors, say, complain, dismiss };
}

const observers = new Set<() => void>();
let last: { readonly href: string; readonly route: Route } | undefined;

/** The route in the address bar, and a function that changes it. */
function useRoute(): [route: Route, go: (route: Route, how?: 'push' | 'replace') => void] {
  const route = useSyncExternalStore(observe, current);
  const go = useCallback((to: Route, how: 'push' | 'replace' = 'push') => {
    const address = addressOf(to);
    if (address === location.pathname + location.search) return;
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    for (const observer of observers) observer();
  }, []);
  return [route, go];
}

function observe(observer: () => void): () => void {
  observers.add(observer);
  window.addEventListener('popstate', observer);
  return () => {
    observers.delete(observer);
    window.removeEventListener('popstate', observer);
  };
}

function current(): Route {
  const { href, pathname, search } = location;
  if (last?.href !== href) last = { href, route: routeOf(pathname, search) };
  return last.route;
}
