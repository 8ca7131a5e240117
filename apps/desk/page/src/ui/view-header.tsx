import type { ReactNode } from 'react';
import { wording } from '../wording.ts';

interface ViewHeaderProps {
  readonly title: string;
  readonly onMenu: () => void;
  readonly children?: ReactNode;
}

/** The head of a view, with a button for the menu if the rail is hidden. */
export function ViewHeader({ title, onMenu, children }: ViewHeaderProps) {
  return (
    <header className="view-head">
      <button
        type="button"
        className="icon menu-button"
        aria-label={wording.rail.open}
        onClick={onMenu}
      >
        ☰
      </button>
      <h2>{title}</h2>
      {children}
    </header>
  );
}
