import { type CSSProperties, useEffect, useMemo, useState } from 'react';
import { CoveragePanel, useCoverage } from './coverage/coverage-panel.tsx';
import { type Connection, placeIn } from './data/connection.ts';
import { failureIn } from './data/failure.ts';
import { ActorTree, Runs } from './panels/runs.tsx';
import { Calls } from './panels/calls.tsx';
import { Changes } from './panels/changes.tsx';
import { ChartPanel } from './panels/chart-panel.tsx';
import { Compare } from './panels/compare.tsx';
import { FailureBanner } from './panels/failure-banner.tsx';
import { Find } from './panels/find.tsx';
import { Scrubber } from './panels/scrubber.tsx';
import { Sequence } from './panels/sequence.tsx';
import { SourceText } from './panels/source-text.tsx';
import { Splitter, usePaneSizes } from './panels/splitter.tsx';
import { Boundary, type Tab, Tabs } from './panels/tabs.tsx';
import { Talk } from './panels/talk.tsx';
import { Timers } from './panels/timers.tsx';
import { Why } from './panels/why.tsx';
import { useView } from './use-view.ts';

export function App({ connection }: { readonly connection: Connection }) {
  const view = useView(connection);
  const [theme, nextTheme] = useTheme();
  const [tab, setTab] = useState('talk');
  const coverage = useCoverage(view, connection);
  const cover = (isOn: boolean) => {
    coverage.setOn(isOn);
    if (isOn) setTab('coverage');
  };
  const [sizes, resize] = usePaneSizes();
  const { about, playback, trouble, isLive, run, runs } = connection;

  useEffect(() => {
    const title = about?.title;
    document.title = title === undefined ? 'Dramaturg inspector' : `${title} · Dramaturg inspector`;
  }, [about]);

  useEffect(() => {
    const open = () => {
      const place = placeIn(location.hash);
      if (place) connection.goTo(place);
    };
    window.addEventListener('hashchange', open);
    return () => window.removeEventListener('hashchange', open);
  }, [connection]);

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || isForElement(event)) return;
      if (event.key === 'ArrowLeft') view.go(view.index - 1);
      else if (event.key === 'ArrowRight') view.go(view.index + 1);
      else if (event.key === 'Home') view.go(0);
      else if (event.key === 'End') view.follow();
      else if (event.key === 'c') view.pin();
      else if (event.key === '/') document.querySelector<HTMLElement>('#find')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });

  const latest = playback.events.length;
  const failure = useMemo(
    () => failureIn(view.actors, playback.events, view.count),
    [view.actors, playback, view.count],
  );
  const hasFailedAtEnd = useMemo(
    () => failureIn(playback.actorsAfter(latest), playback.events, latest) !== undefined,
    [playback, latest],
  );
  const open = view.calls.filter(({ status }) => status === 'open');
  const { length: timers } = open.filter(({ port }) => port === 'timer');
  const tabs: readonly Tab[] = [
    { id: 'talk', name: 'Talk', panel: () => <Talk view={view} connection={connection} /> },
    {
      id: 'changes',
      name: 'Context',
      panel: () => <Changes view={view} events={playback.events} />,
    },
    { id: 'why', name: 'Why', panel: () => <Why view={view} playback={playback} /> },
    {
      id: 'calls',
      name: 'Calls',
      badge: open.length - timers,
      panel: () => <Calls view={view} playback={playback} isLive={isLive} />,
    },
    {
      id: 'timers',
      name: 'Timers',
      badge: timers,
      panel: () => <Timers view={view} isLive={isLive} />,
    },
    {
      id: 'source',
      name: 'Source',
      panel: () => <SourceText view={view} sources={connection.sources} failed={failure} />,
    },
    {
      id: 'coverage',
      name: 'Coverage',
      panel: () => <CoveragePanel coverage={coverage} runs={runs.length} />,
    },
    ...(runs.length > 1
      ? [
          {
            id: 'compare',
            name: 'Compare',
            panel: () => <Compare view={view} connection={connection} />,
          },
        ]
      : []),
  ];

  return (
    <div
      className="inspector"
      data-live={isLive || undefined}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const [file] = event.dataTransfer.files;
        if (!file) return;
        setTab('coverage');
        void file.text().then((text) => coverage.open({ name: file.name, text }));
      }}
      style={
        {
          '--nav': `${sizes.nav}px`,
          '--details': `${sizes.details}px`,
          '--sequence': `${sizes.sequence}px`,
        } as CSSProperties
      }
    >
      <header>
        <h1>{about?.title ?? 'Inspector'}</h1>
        <p className="status" role="status">
          <i data-state={trouble ? 'away' : isLive ? 'live' : 'stored'} />
          {trouble ?? (isLive ? 'live' : 'stored')}
        </p>
        <Find view={view} playback={playback} />
        <button type="button" className="quiet" onClick={nextTheme}>
          Colours: {theme}
        </button>
      </header>
      <nav aria-label="Runs and actors">
        {(runs.length > 1 || playback.isStored) && (
          <Runs
            runs={runs}
            shown={run}
            hasShownFailed={hasFailedAtEnd}
            onOpen={(id) => connection.open(id)}
          />
        )}
        <Boundary of={view.actors}>
          <ActorTree view={view} />
        </Boundary>
      </nav>
      <Splitter pane="nav" sizes={sizes} onResize={resize} />
      <main>
        {failure && (
          <FailureBanner
            failure={failure}
            view={view}
            sources={connection.sources}
            onShowSource={() => setTab('source')}
          />
        )}
        <Boundary of={view.actor}>
          <ChartPanel view={view} connection={connection} coverage={coverage} onCover={cover} />
        </Boundary>
        <Splitter pane="sequence" sizes={sizes} onResize={resize} />
        <Boundary of={view.actors}>
          <Sequence view={view} playback={playback} />
        </Boundary>
      </main>
      <Splitter pane="details" sizes={sizes} onResize={resize} />
      <aside aria-label="Details">
        <Tabs tabs={tabs} shown={tab} onShow={setTab} of={view.actors} />
      </aside>
      <Scrubber view={view} connection={connection} />
    </div>
  );
}

/** Whether a key is for the focused control or text, and not for the page. */
function isForElement({ target, key }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  const moves = key.startsWith('Arrow') || key === 'Home' || key === 'End';
  if (element instanceof HTMLInputElement && /^(?:range|checkbox)$/.test(element.type))
    return element.type === 'range' && moves;
  if (/^(?:INPUT|TEXTAREA|SELECT)$/.test(element.tagName)) return true;
  return element.closest('[role=tablist], .react-flow') !== null && key.startsWith('Arrow');
}

type Theme = 'auto' | 'light' | 'dark';

const order: readonly Theme[] = ['auto', 'light', 'dark'];
const stored = 'dramaturg-inspector-theme';

/** The colour scheme of the page, stored in the browser. */
function useTheme(): [theme: Theme, next: () => void] {
  const [theme, setTheme] = useState<Theme>(() => {
    const known = localStorage.getItem(stored);
    return order.find((each) => each === known) ?? 'auto';
  });
  useEffect(() => {
    document.documentElement.style.colorScheme = theme === 'auto' ? 'light dark' : theme;
    localStorage.setItem(stored, theme);
  }, [theme]);
  return [theme, () => setTheme(order[(order.indexOf(theme) + 1) % order.length]!)];
}
