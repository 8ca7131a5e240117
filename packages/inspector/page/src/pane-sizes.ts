import { useState } from 'react';

/** The panes with a size that can be changed, in pixels. `direction` is the way in which dragging makes a pane larger. */
export const panes = {
  nav: { name: 'runs and actors', axis: 'x', direction: 1, min: 140, max: 480, usual: 212 },
  details: { name: 'the details', axis: 'x', direction: -1, min: 260, max: 760, usual: 432 },
  sequence: { name: 'the sequence', axis: 'y', direction: -1, min: 80, max: 640, usual: 240 },
} as const;

export type Pane = keyof typeof panes;
export type PaneSizes = Readonly<Record<Pane, number>>;

const key = 'dramaturg-inspector-panes';

const usualSizes = Object.fromEntries(
  Object.entries(panes).map(([pane, { usual }]) => [pane, usual]),
) as Record<Pane, number>;

/** The sizes of the panes, which the browser keeps. */
export function usePaneSizes(): [PaneSizes, (pane: Pane, size: number) => void] {
  const [sizes, setSizes] = useState<PaneSizes>(storedSizes);
  const resize = (pane: Pane, size: number) => {
    const { min, max } = panes[pane];
    const next = { ...sizes, [pane]: Math.round(Math.min(max, Math.max(min, size))) };
    setSizes(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without storage the sizes last as long as the page.
    }
  };
  return [sizes, resize];
}

function storedSizes(): PaneSizes {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    const numbers = Object.entries(Object(stored) as object).filter(
      ([pane, size]) => Object.hasOwn(panes, pane) && Number.isFinite(size),
    );
    return { ...usualSizes, ...Object.fromEntries(numbers) };
  } catch {
    return usualSizes;
  }
}
