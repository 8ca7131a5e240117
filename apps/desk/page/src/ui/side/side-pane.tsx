import type { Json } from '@dramaturg/compiler';
import { lazy, Suspense, useState } from 'react';
import type { Conversation } from '../../service/protocol.ts';
import { timeText } from '../../state/duration.ts';
import { placeOf, readable } from '../../state/place-of.ts';
import { useLive } from '../../state/use-live.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { useAct } from '../use-act.ts';

interface ActsProps {
  readonly instance: string;
  readonly contact: string | undefined;
}

const shownMax = 100;

/** The acts of operators in one conversation. */
function Acts({ instance, contact }: ActsProps) {
  const { client, live } = useDesk();
  const { value, error, reload } = useLive(
    live,
    `acts ${instance}`,
    async (signal) => {
      const acts = await client.acts({ contact }, signal);
      return acts.filter((act) => act.instance === instance).slice(0, shownMax);
    },
    { instance },
  );
  const { acts, program } = wording.activity;
  if (error !== undefined) return <Problem error={error} onRetry={reload} />;
  if (value?.length === 0) return <p className="muted">{wording.side.noActs}</p>;
  return (
    <ol className="trail">
      {value?.map(({ at, by, act, option, text }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- Acts have no ids, and one person may do two at the same time.
        <li key={`${at} ${index}`}>
          <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
          <span>
            <strong>{by ?? program}</strong> {acts[act] ?? act} {option} {text}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Includes the layout engine, so it is loaded when it is first opened. */
const ChartAndTrail = lazy(() => import('./chart-and-trail.tsx'));

interface SidePaneProps {
  readonly conversation: Conversation;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

const tabs = ['collected', 'chart', 'notes', 'acts'] as const;
type Tab = (typeof tabs)[number];

/** The details of a conversation, in tabs. */
export function SidePane({ conversation, isOpen, onClose, onChanged }: SidePaneProps) {
  const [tab, setTab] = useState<Tab>('collected');
  const words = wording.side;
  const move = (by: number) => {
    const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]!;
    setTab(next);
    document.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <aside className="side" aria-label={words.label} data-open={isOpen || undefined}>
      <div className="side-head">
        <div role="tablist" aria-label={words.label} className="tabs">
          {tabs.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`tab-${each}`}
              aria-selected={each === tab}
              aria-controls="tab-panel"
              tabIndex={each === tab ? 0 : -1}
              onClick={() => setTab(each)}
              onKeyDown={({ key }) => {
                if (key === 'ArrowRight') move(1);
                if (key === 'ArrowLeft') move(-1);
              }}
            >
              {words.tabs[each]}
            </button>
          ))}
        </div>
        <button
          type="button"
          className="icon side-close"
          aria-label={wording.conversation.hideDetails}
          onClick={onClose}
        >
          ✕
        </button>
      </div>
      <div
        id="tab-panel"
        role="tabpanel"
        aria-labelledby={`tab-${tab}`}
        tabIndex={0}
        className="tab-panel"
        data-tab={tab}
      >
        {tab === 'collected' && <Collected conversation={conversation} />}
        {tab === 'chart' && (
          <Suspense fallback={<p role="status">{words.chartLoading}</p>}>
            <ChartAndTrail conversation={conversation} />
          </Suspense>
        )}
        {tab === 'notes' && <Notes conversation={conversation} onChanged={onChanged} />}
        {tab === 'acts' && <Acts instance={conversation.id} contact={conversation.contact} />}
      </div>
    </aside>
  );
}

/** The collected data of the conversation, and its definition. */
function Collected({ conversation }: { readonly conversation: Conversation }) {
  const { collected = {}, definition, id, createdAt, updatedAt, state } = conversation;
  const place = placeOf(conversation);
  const words = wording.side;
  const values = Object.entries(collected);
  return (
    <>
      {values.length === 0 ? (
        <p className="muted">{words.nothingCollected}</p>
      ) : (
        <dl className="facts">
          {values.map(([key, value]) => (
            <Fact key={key} name={key} value={textOf(value)} />
          ))}
        </dl>
      )}
      <dl className="facts about">
        <Fact
          name={words.state}
          value={place === readable(state) ? place : `${place} (${readable(state)})`}
        />
        <Fact name={words.definition} value={definition.name} />
        <Fact name={words.id} value={id} />
        <Fact name={words.started} value={timeText(createdAt)} />
        <Fact name={words.changed} value={timeText(updatedAt)} />
      </dl>
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

interface NotesProps {
  readonly conversation: Conversation;
  readonly onChanged: () => void;
}

/** Notes of operators. The contact and the agent do not see them. */
function Notes({ conversation, onChanged }: NotesProps) {
  const { client, mayOperate } = useDesk();
  const { id, notes = [] } = conversation;
  const [text, setText] = useState('');
  const { act, isRunning } = useAct();
  const words = wording.side;
  const add = async () => {
    if (text.trim() !== '' && (await act(() => client.note(id, text.trim())))) setText('');
    onChanged();
  };
  return (
    <>
      {notes.length === 0 && <p className="muted">{words.noNotes}</p>}
      <ul className="notes">
        {notes.map(({ at, by, text: written }) => (
          <li key={`${at} ${by} ${written}`}>
            <p className="message-head">
              <strong>{by}</strong>{' '}
              <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
            </p>
            <p className="message-text">{written}</p>
          </li>
        ))}
      </ul>
      {mayOperate && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void add();
          }}
        >
          <label>
            {words.newNote}
            <textarea
              id="new-note"
              rows={3}
              value={text}
              onChange={({ target }) => setText(target.value)}
              onKeyDown={({ key, ctrlKey, metaKey }) => {
                if (key === 'Enter' && (ctrlKey || metaKey)) void add();
              }}
            />
          </label>
          <button type="submit" disabled={isRunning || text.trim() === ''}>
            {words.addNote}
          </button>
        </form>
      )}
    </>
  );
}
