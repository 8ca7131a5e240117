import type { ReactNode } from 'react';
import { addressOf, type Route } from '../../state/route.ts';

interface RailLinkProps {
  readonly to: Route;
  readonly isCurrent: boolean;
  readonly go: (route: Route) => void;
  readonly children: ReactNode;
}

/** A link within the page, which can also be opened in another tab. */
export function RailLink({ to, isCurrent, go, children }: RailLinkProps) {
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
