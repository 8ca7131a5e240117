import { getViewportForBounds, type ReactFlowInstance } from '@xyflow/react';
import { type RefObject, useEffect, useRef } from 'react';
import type { Box, Light, PlacedDrawing } from '@dramaturg/drawing';
import type { ArrowFlowEdge, DotFlowNode, StateFlowNode } from './flow.ts';

type Flow = ReactFlowInstance<StateFlowNode | DotFlowNode, ArrowFlowEdge>;

/** Below this zoom names are unreadable, even in large letters: only part of the chart is then shown, which follows the current state. */
const smallestReadable = 10 / 20;
/** The zoom of a chart that is shown in part: the words of arrows are readable. */
const zoomOfPart = 10 / 11;
const largest = 1.1;
/** Duration of a move to another state, in milliseconds. */
const moving = 350;

/** Controls the shown part of a chart: the whole chart if readable, or else the surroundings of the current state. */
export function useView(
  place: RefObject<HTMLElement | null>,
  drawing: PlacedDrawing,
  lights: ReadonlyMap<string, Light>,
) {
  const flow = useRef<Flow>(null);
  const isReaders = useRef(false);
  const current = drawing.nodes.find(({ id }) => isCurrent(lights.get(id)));
  const currentId = current?.id;

  const show = (smallest: number, duration = 0, at = current?.box) => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = place.current ?? {};
    if (!flow.current || width === 0 || height === 0) return;
    const all = { x: 0, y: 0, width: drawing.width, height: drawing.height };
    const whole = getViewportForBounds(all, width, height, 0.02, largest, 0.01);
    const options = duration > 0 && !wantsStillness() ? { duration } : {};
    if (whole.zoom >= smallest) return void flow.current.setViewport(whole, options);
    const zoom = Math.max(smallest, zoomOfPart);
    const first = drawing.nodes.find(({ drawn }) => !drawn);
    const { x, y } = middleOf(at ?? first?.box ?? { ...all, height: 0 });
    const left = clamp(width / 2 - x * zoom, width - drawing.width * zoom, 0);
    const top = clamp(height / 2 - y * zoom, height - drawing.height * zoom, 0);
    void flow.current.setViewport({ x: left, y: top, zoom }, options);
  };

  const latest = useRef(show);
  useEffect(() => {
    latest.current = show;
  });
  // A new chart resets the view. After the reader has moved it, state changes no longer move it.
  useEffect(() => {
    isReaders.current = false;
    latest.current(smallestReadable);
  }, [drawing]);
  useEffect(() => {
    if (!isReaders.current) latest.current(smallestReadable, moving);
  }, [currentId]);
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new ResizeObserver(() => {
      if (!isReaders.current) latest.current(smallestReadable);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);

  return {
    take: (instance: Flow) => {
      flow.current = instance;
      show(smallestReadable);
    },
    leaveToReader: () => {
      isReaders.current = true;
    },
    /** Moves a state into the view, if the chart is shown in part. */
    showState: (id: string) => {
      isReaders.current = true;
      show(smallestReadable, moving, drawing.nodes.find((node) => node.id === id)?.box);
    },
    /** Moves a part of the drawing into the view, if the chart is shown in part. */
    showBox: (box: Box) => {
      isReaders.current = true;
      show(smallestReadable, moving, box);
    },
    showAll: () => {
      isReaders.current = true;
      show(0, moving);
    },
  };
}

function isCurrent(light: Light | undefined): boolean {
  return light === 'current' || light === 'failed';
}

function middleOf({ x, y, width, height }: Box) {
  return { x: x + width / 2, y: y + height / 2 };
}

/** Limits a position, so that the chart fills the view. A smaller chart is centred. */
function clamp(value: number, lowest: number, highest: number): number {
  if (lowest > highest) return (lowest + highest) / 2;
  return Math.min(Math.max(value, lowest), highest);
}

function wantsStillness(): boolean {
  return globalThis.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
