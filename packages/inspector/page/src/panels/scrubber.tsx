import { useState } from 'react';
import type { Connection } from '../data/connection.ts';
import type { View } from '../use-view.ts';
import { dateText } from '../value-text.ts';

/** A slider through the moments. */
export function Scrubber({
  view,
  connection,
}: {
  readonly view: View;
  readonly connection: Connection;
}) {
  const { moments, index, moment, isFollowing, isPinned } = view;
  const [because, setBecause] = useState<string>();
  const word = moment?.step ? 'Step' : 'Moment';
  const last = Math.max(0, moments.length - 1);
  const title = moment?.step?.event.type ?? '';
  const step = (to: number) => () => view.go(to);
  const [atFirst, atLast] = [index <= 0, index >= last];
  const buttons = [
    { name: 'First', hint: 'First (Home)', icon: 'first', disabled: atFirst, go: step(0) },
    { name: 'Back', hint: 'Back (←)', icon: 'back', disabled: atFirst, go: step(index - 1) },
    {
      name: 'Forward',
      hint: 'Forward (→)',
      icon: 'forward',
      disabled: atLast,
      go: step(index + 1),
    },
    { name: 'Last', hint: 'Last (End)', icon: 'last', disabled: isFollowing, go: view.follow },
  ] as const;
  return (
    <footer className="scrubber" aria-label="Time">
      <div className="buttons" role="group" aria-label="Go to">
        {buttons.map(({ name, hint, icon, disabled, go }) => (
          <button
            key={name}
            type="button"
            aria-label={name}
            title={hint}
            disabled={disabled}
            onClick={go}
          >
            <Icon name={icon} />
          </button>
        ))}
      </div>
      {connection.hasEarlier && (
        <button
          type="button"
          title="The steps before these"
          onClick={() => connection.openEarlier()}
        >
          Earlier
        </button>
      )}
      <input
        type="range"
        aria-label={word}
        aria-valuetext={`${word} ${moment?.number ?? 0} ${title}`}
        min={0}
        max={last}
        value={Math.max(0, index)}
        onChange={({ target }) => view.go(Number(target.value))}
      />
      <output>
        {word} {moment?.number ?? 0} of {moments.at(-1)?.number ?? 0}
        <small>{moment && dateText(moment.at)}</small>
      </output>
      <button
        type="button"
        aria-pressed={isPinned}
        title="Pin: compare what is shown with this, wherever you go (c)"
        onClick={view.pin}
      >
        {isPinned ? 'Pinned' : 'Pin'}
      </button>
      {connection.about?.allowsForks && moment?.step && (
        <button
          type="button"
          title="Start another run where this one was after this step. The record is not touched."
          onClick={() => void connection.fork(moment.number).then(setBecause)}
        >
          Fork here
        </button>
      )}
      {because !== undefined && <p role="alert">{because}</p>}
    </footer>
  );
}

const shapes = {
  first: 'M3 3v10M13 3v10L5.5 8z',
  back: 'M11 3v10L4 8z',
  forward: 'M5 3v10l7-5z',
  last: 'M13 3v10M3 3v10l7.5-5z',
};

function Icon({ name }: { readonly name: keyof typeof shapes }) {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
      <path d={shapes[name]} fill="currentColor" stroke="currentColor" strokeLinejoin="round" />
    </svg>
  );
}
