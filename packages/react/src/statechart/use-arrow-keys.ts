import type { Drawing } from '@dramaturg/compiler/chart';
import type { Light } from '@dramaturg/drawing';
import { type RefObject, useState } from 'react';

/**
 * One state of the chart is in the tab order: the current one, or the first. Down leads along a transition, up against one,
 * left and right to the other states that the last transition could have led to.
 */
export function useArrowKeys(
  place: RefObject<HTMLElement | null>,
  drawing: Drawing,
  lights: ReadonlyMap<string, Light>,
  show: (id: string) => void,
) {
  const [at, setAt] = useState<{ readonly id: string; readonly among: readonly string[] }>();
  const nodes = drawing.nodes.filter(({ kind }) => kind !== 'anywhere');
  const isKnown = nodes.some(({ id }) => id === at?.id);
  const start = nodes.find(({ id }) => lights.get(id) === 'current') ?? nodes[0];
  const focusable = isKnown ? at?.id : start?.id;

  const go = (id: string | undefined, among: readonly string[]): boolean => {
    if (id === undefined) return false;
    setAt({ id, among });
    show(id);
    // The state may be outside of the view and not be rendered yet.
    requestAnimationFrame(() =>
      place.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus(),
    );
    return true;
  };

  /** Moves the focus; false when the key means nothing here. */
  const follow = (from: string, key: string): boolean => {
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const next = key === 'ArrowDown' ? targetsOf(drawing, from) : sourcesOf(drawing, from);
      go(next[0], next);
      return true;
    }
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false;
    const known = at?.id === from && at.among.length > 1 ? at.among : nodes.map(({ id }) => id);
    const step = key === 'ArrowRight' ? 1 : -1;
    go(known.at((known.indexOf(from) + step) % known.length), known);
    return true;
  };

  return { focusable, follow };
}

function targetsOf({ edges }: Drawing, from: string): readonly string[] {
  const leaving = edges.filter(({ source, sources = [source] }) => sources.includes(from));
  return distinct(
    leaving.map(({ target }) => target),
    from,
  );
}

function sourcesOf({ edges }: Drawing, to: string): readonly string[] {
  const arriving = edges.filter(({ target }) => target === to);
  return distinct(
    arriving.flatMap(({ source, sources = [source] }) => sources),
    to,
  );
}

function distinct(ids: readonly string[], without: string): readonly string[] {
  return [...new Set(ids)].filter((id) => id !== without);
}
