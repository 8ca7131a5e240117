import { lazy, Suspense, useState } from 'react';
import type { Conversation } from '../../service/protocol.ts';
import { wording } from '../../wording.ts';
import { Acts } from './acts.tsx';
import { Collected } from './collected.tsx';
import { Notes } from './notes.tsx';

/** With the layout engine, so it is loaded when somebody opens it. */
const ChartAndTrail = lazy(() => import('./chart-and-trail.tsx'));

interface SidePaneProps {
  readonly conversation: Conversation;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

const tabs = ['collected', 'chart', 'notes', 'acts'] as const;
type Tab = (typeof tabs)[number];

/** What is known about a conversation, in tabs. */
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
