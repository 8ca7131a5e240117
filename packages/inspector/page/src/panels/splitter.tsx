import { type KeyboardEvent, type PointerEvent, useState } from 'react';

interface SplitterProps {
  readonly pane: Pane;
  readonly sizes: PaneSizes;
  readonly onResize: (pane: Pane, size: number) => void;
}

/** Pixels of one press of an arrow key. */
const keyStep = 24;

/** The border of a pane: dragged, or moved with arrow keys. */
export function Splitter({ pane, sizes, onResize }: SplitterProps) {
  const { name, axis, direction, min, max } = panes[pane];
  const size = sizes[pane];
  const drag = ({ clientX, clientY, currentTarget, pointerId }: PointerEvent<HTMLElement>) => {
    const begun = axis === 'x' ? clientX : clientY;
    currentTarget.setPointerCapture(pointerId);
    const follow = (event: globalThis.PointerEvent) =>
      onResize(pane, size + direction * ((axis === 'x' ? event.clientX : event.clientY) - begun));
    const stop = () => {
      currentTarget.removeEventListener('pointermove', follow);
      currentTarget.removeEventListener('lostpointercapture', stop);
    };
    currentTarget.addEventListener('pointermove', follow);
    currentTarget.addEventListener('lostpointercapture', stop);
  };
  const press = (event: KeyboardEvent) => {
    const forth = axis === 'x' ? 'ArrowRight' : 'ArrowDown';
    const back = axis === 'x' ? 'ArrowLeft' : 'ArrowUp';
    if (event.key !== forth && event.key !== back) return;
    event.preventDefault();
    event.stopPropagation();
    onResize(pane, size + direction * (event.key === forth ? keyStep : -keyStep));
  };
  return (
    <div
      className="splitter"
      data-pane={pane}
      role="separator"
      tabIndex={0}
      aria-label={`Size of ${name}`}
      aria-orientation={axis === 'x' ? 'vertical' : 'horizontal'}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      title="Drag, or use the arrow keys. Double-click restores the size."
      onPointerDown={drag}
      onKeyDown={press}
      onDoubleClick={() => onResize(pane, panes[pane].usual)}
    />
  );
}

/** The panes with a size that can be changed, in pixels. `direction` is the way in which dragging makes a pane larger. */
const panes = {
  nav: { name: 'runs and actors', axis: 'x', direction: 1, min: 140, max: 480, usual: 212 },
  details: { name: 'the details', axis: 'x', direction: -1, min: 260, max: 760, usual: 432 },
  sequence: { name: 'the sequence', axis: 'y', direction: -1, min: 80, max: 640, usual: 240 },
} as const;

type Pane = keyof typeof panes;
type PaneSizes = Readonly<Record<Pane, number>>;

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
      // Without storage, the sizes are kept only by this page.
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
