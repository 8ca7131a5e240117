import type { KeyboardEvent, PointerEvent } from 'react';
import { type Pane, panes, type PaneSizes } from '../pane-sizes.ts';

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
