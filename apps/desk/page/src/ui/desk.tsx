import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Connection } from '../service/connection.ts';
import { DeskClient } from '../service/desk-client.ts';
import { Live } from '../service/live.ts';
import { type Operator, queues } from '../service/protocol.ts';
import { useLive } from '../state/use-live.ts';
import { useRoute } from '../state/use-route.ts';
import { hasScope } from '../state/use-session.ts';
import { useStored } from '../state/stored.ts';
import { wording } from '../wording.ts';
import { ActivityView } from './activity/activity-view.tsx';
import { DecisionInbox } from './decisions/decision-inbox.tsx';
import { deskContext } from './desk-context.ts';
import { HelpDialog } from './help-dialog.tsx';
import { InboxView } from './inbox-view.tsx';
import { Problem } from './problem.tsx';
import { Rail } from './rail/rail.tsx';
import { useNotifications } from './use-notifications.ts';
import { useNotices } from './use-notices.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { useTheme } from './use-theme.ts';

interface DeskProps {
  readonly me: Operator;
  readonly connection: Connection;
  /** Absent where the service asks for no token. */
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
          <h1 className="visually-hidden">{wording.title}</h1>
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
        <p className="visually-hidden" role="status">
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
