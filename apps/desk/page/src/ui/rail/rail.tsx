import { type ReactNode, useEffect } from 'react';
import type { FeedState } from '../../service/live.ts';
import { type Queue, type QueueCounts, queues } from '../../service/protocol.ts';
import { addressOf, type Route } from '../../state/route.ts';
import { useSavedViews } from '../../state/saved-views.ts';
import { useStored } from '../../state/stored.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import type { Notifications } from '../use-notifications.ts';

interface RailProps {
  readonly route: Route;
  readonly counts: QueueCounts | undefined;
  readonly connection: FeedState;
  readonly go: (route: Route) => void;
  readonly settings: SettingsProps;
  readonly onHelp: () => void;
  readonly onClose: () => void;
  readonly onSignOut: (() => void) | undefined;
}

/** Queues with their counts, saved views, and settings. */
export function Rail(props: RailProps) {
  const { route, counts, connection, go, settings, onHelp, onClose, onSignOut } = props;
  const { me } = useDesk();
  const { views, remove } = useSavedViews();
  const words = wording.rail;
  return (
    <nav className="rail" aria-label={words.label}>
      <header className="rail-head">
        <p className="brand">{wording.title}</p>
        <span className="live" data-state={connection}>
          {wording.connection[connection]}
        </span>
        <button
          type="button"
          className="icon rail-close"
          aria-label={words.close}
          onClick={onClose}
        >
          ✕
        </button>
      </header>
      <h2>{words.queues}</h2>
      <ul>
        {queues.map((queue) => (
          <li key={queue}>
            <RailLink to={routeOfQueue(queue)} isCurrent={isQueue(route, queue)} go={go}>
              <span>{wording.queues[queue]}</span>
              <span className="count" data-urgent={isUrgent(queue, counts) || undefined}>
                {counts ? counts[queue].toLocaleString(wording.locale) : '–'}
              </span>
            </RailLink>
          </li>
        ))}
      </ul>
      <h2>{words.views}</h2>
      {views.length === 0 && <p className="muted">{words.noViews}</p>}
      <ul>
        {views.map(({ name, filter }) => (
          <li key={name} className="view">
            <RailLink
              to={{ view: 'queue', filter }}
              isCurrent={
                route.view === 'queue' &&
                addressOf({ view: 'queue', filter: route.filter }) ===
                  addressOf({ view: 'queue', filter })
              }
              go={go}
            >
              <span>{name}</span>
            </RailLink>
            <button
              type="button"
              className="icon"
              aria-label={words.removeView(name)}
              onClick={() => remove(name)}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <ul>
        <li>
          <RailLink
            to={{ view: 'activity', filter: route.filter }}
            isCurrent={route.view === 'activity'}
            go={go}
          >
            <span>{words.activity}</span>
          </RailLink>
        </li>
      </ul>
      <footer className="rail-foot">
        <Settings {...settings} />
        <p className="muted">{words.signedInAs(me.name)}</p>
        <div className="row">
          <button type="button" onClick={onHelp}>
            {words.help}
          </button>
          {onSignOut && (
            <button type="button" onClick={onSignOut}>
              {words.signOut}
            </button>
          )}
        </div>
      </footer>
    </nav>
  );
}

function routeOfQueue(queue: Queue): Route {
  return { view: queue === 'decisions' ? 'decisions' : 'queue', filter: { queue } };
}

/** A queue is current only without a filter: a filtered one is a saved view or none. */
function isQueue({ view, filter }: Route, queue: Queue): boolean {
  if (queue === 'decisions') return view === 'decisions';
  return view === 'queue' && filter.queue === queue && Object.keys(filter).length === 1;
}

function isUrgent(queue: Queue, counts: QueueCounts | undefined): boolean {
  return (
    ['needsPerson', 'decisions', 'failed', 'setAside'].includes(queue) && (counts?.[queue] ?? 0) > 0
  );
}

interface RailLinkProps {
  readonly to: Route;
  readonly isCurrent: boolean;
  readonly go: (route: Route) => void;
  readonly children: ReactNode;
}

/** A link within the page, which can also be opened in another tab. */
function RailLink({ to, isCurrent, go, children }: RailLinkProps) {
  return (
    <a
      href={addressOf(to)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

interface SettingsProps {
  readonly theme: { readonly theme: Theme; readonly setTheme: (theme: Theme) => void };
  readonly shortcuts: 'on' | 'off';
  readonly setShortcuts: (shortcuts: 'on' | 'off') => void;
  readonly notifications: Notifications;
}

/** Settings for colours, keys and notifications, stored in this browser. */
function Settings({ theme, shortcuts, setShortcuts, notifications }: SettingsProps) {
  const words = wording.rail;
  const { permission, ask, sound, setSound } = notifications;
  return (
    <details className="settings">
      <summary>{words.settings}</summary>
      <label>
        {words.theme}
        <select
          value={theme.theme}
          onChange={({ target }) => theme.setTheme(target.value as Theme)}
        >
          {themes.map((each) => (
            <option key={each} value={each}>
              {words.themes[each]}
            </option>
          ))}
        </select>
      </label>
      <OnOff label={words.shortcuts} value={shortcuts} onChange={setShortcuts} />
      <OnOff label={words.sound} value={sound} onChange={setSound} />
      {permission === 'default' && (
        <button type="button" onClick={ask}>
          {words.notify}
        </button>
      )}
      {permission !== 'default' && (
        <p className="muted">{permission === 'granted' ? words.notifying : words.notifyDenied}</p>
      )}
    </details>
  );
}

interface OnOffProps {
  readonly label: string;
  readonly value: 'on' | 'off';
  readonly onChange: (value: 'on' | 'off') => void;
}

function OnOff({ label, value, onChange }: OnOffProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={value === 'on'}
        onChange={({ target }) => onChange(target.checked ? 'on' : 'off')}
      />
      {label}
    </label>
  );
}

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** The colours of the page, stored in this browser. */
export function useTheme(): { readonly theme: Theme; readonly setTheme: (theme: Theme) => void } {
  const [theme, setTheme] = useStored<Theme>('theme', themes);
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'auto') delete dataset['colorScheme'];
    else dataset['colorScheme'] = theme;
  }, [theme]);
  return { theme, setTheme };
}
