import { CoverageList } from '@dramaturg/react';
import { type CSSProperties, useEffect, useMemo, useState } from 'react';
import type { RecordedActor } from '../../src/recording.ts';
import type { DefinitionText } from '../../src/server/exhibit.ts';
import { type CoverageControls, type CoverageOf, useCoverage } from './coverage/use-coverage.ts';
import { actorTitle } from './data/actor-names.ts';
import { type Connection, placeIn } from './data/connection.ts';
import { timersIn, treeOf } from './data/derive.ts';
import { type Failure, failureIn, hasFailed } from './data/failure.ts';
import { Calls } from './panels/calls.tsx';
import { Changes } from './panels/changes.tsx';
import { ChartPanel } from './panels/chart-panel.tsx';
import { Compare } from './panels/compare.tsx';
import { Find } from './panels/find.tsx';
import { Runs } from './panels/runs.tsx';
import { Scrubber } from './panels/scrubber.tsx';
import { Sequence } from './panels/sequence.tsx';
import { sourceOf, SourceText } from './panels/source-text.tsx';
import { Splitter, usePaneSizes } from './panels/splitter.tsx';
import { Boundary, type Tab, Tabs } from './panels/tabs.tsx';
import { Talk } from './panels/talk.tsx';
import { Why } from './panels/why.tsx';
import { useClock } from './use-clock.ts';
import { useView, type View } from './use-view.ts';
import { durationText, valueText } from './value-text.ts';

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

/** The running timers. For a past moment, they are those at its time. */
function Timers({ view, isLive }: { readonly view: View; readonly isLive: boolean }) {
  const clock = useClock(view, isLive);
  const timers = timersIn(view.calls);
  if (timers.length === 0) return <p className="dg-empty">No running timers.</p>;
  return (
    <dl className="timers">
      {timers.map(({ key, askedBy, at }) => (
        <div key={key}>
          <dt>
            {askedBy}
            <small>{key}</small>
          </dt>
          <dd>
            {at <= clock ? 'due' : `in ${durationText(at - clock)}`}
            <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleString()}</time>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface FailureBannerProps {
  readonly failure: Failure;
  readonly view: View;
  readonly sources: readonly DefinitionText[];
  readonly onShowSource: () => void;
}

/** Shows what has failed, why, and the line of the definition. */
function FailureBanner({ failure, view, sources, onShowSource }: FailureBannerProps) {
  const { sessionId, state, error, cause, origin } = failure;
  const source = sourceOf(view.actors.get(sessionId), view.actors, sources);
  const line = origin && source?.lines[JSON.stringify(origin)]?.[0];
  return (
    <div className="failure" role="alert">
      <p>
        <strong>{state === undefined ? 'Failed' : `Failed in ${state}`}</strong>
        <span>{error}</span>
        {cause !== undefined && <q>{cause}</q>}
      </p>
      {line !== undefined && (
        <button
          type="button"
          onClick={() => {
            view.pick(sessionId);
            onShowSource();
          }}
        >
          {source!.name}, line {line}
        </button>
      )}
    </div>
  );
}

/** The actors of the shown moment, each below its caller. */
function ActorTree({ view: { actors, actor, pick } }: { readonly view: View }) {
  const tree = treeOf(actors);
  return (
    <section className="actors" aria-label="Actors">
      <h2>Actors</h2>
      <ul>
        {tree.slice(0, 500).map(({ actor: each, depth }) => (
          <li key={each.sessionId}>
            <button
              type="button"
              className="row"
              style={{ paddingLeft: 12 + depth * 14 }}
              aria-current={each === actor || undefined}
              onClick={() => pick(each.sessionId)}
            >
              <span className="row-name">
                <i className="dot" data-status={hasFailed(each) ? 'error' : each.snapshot.status} />
                {actorTitle(each, actors)}
              </span>
              <span className="row-more">{statusText(each)}</span>
            </button>
          </li>
        ))}
      </ul>
      {tree.length > 500 && <p className="hint">{tree.length - 500} more actors.</p>}
    </section>
  );
}

function statusText(actor: RecordedActor): string {
  const { status, value, items } = actor.snapshot;
  if (hasFailed(actor)) return 'failed';
  if (status !== 'active') return status ?? '';
  return items ? `${items.ended}/${items.total}` : valueText(value);
}

/** Shows how much of the shown chart the runs, or the tests of a report, reach. */
function CoveragePanel({
  coverage,
  runs,
}: {
  readonly coverage: CoverageControls;
  /** The number of runs. */
  readonly runs: number;
}) {
  const { isOn, setOn, of, choose, report, open, units, problem, words } = coverage;
  if (!isOn)
    return (
      <div className="coverage-start">
        <p>Draws on the chart what runs or tests have reached, and lists the rest.</p>
        <button type="button" onClick={() => setOn(true)}>
          Show coverage
        </button>
      </div>
    );
  return (
    <div className="coverage">
      <div className="coverage-of">
        <select
          aria-label="Coverage of"
          value={of}
          onChange={({ target }) => choose(target.value as CoverageOf)}
        >
          <option value="run">This run</option>
          {runs > 1 && <option value="all">All {runs} runs</option>}
          {report && <option value="report">{report.name}</option>}
        </select>
        <label className="file">
          Open a report
          <input
            type="file"
            accept=".json,.info"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void file.text().then((text) => open({ name: file.name, text }));
              // Allows opening the same file again.
              target.value = '';
            }}
          />
        </label>
      </div>
      {words !== '' && <p className="hint">{words}</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {units && (
        <CoverageList units={units} selected={coverage.selected} onSelect={coverage.select} />
      )}
    </div>
  );
}
