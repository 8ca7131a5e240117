'use client';

import type { Chart } from '@dramaturg/compiler';
import { type Drawing, drawingOf, type DrawnEdge, type DrawnNode } from '@dramaturg/compiler/chart';
import {
  type CountedUnit,
  drawnPartsOf,
  type LayoutOptions,
  type Light,
  type PlacedDrawing,
} from '@dramaturg/drawing';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { StateValue } from 'xstate';
import type { ColorScheme } from '../color-scheme.ts';
import type { StateProgress } from '../conversation/running-machines.ts';
import type { Canvas } from './canvas.tsx';
import type { Legend } from './legend.tsx';
import { marksOf, type RunMarks } from './run-marks.ts';

export interface StatechartProps {
  /** The chart of a definition, from `compile`. */
  readonly chart: Chart;
  /**
   * The `value` of one or several snapshots to highlight. The value of a machine that a node runs for an item is nested
   * in that node, as in `values` of `useConversation`.
   */
  readonly value?: StateValue | readonly StateValue[] | undefined;
  /** The states that were entered, in order, by the names in events `state.entered`: the trail. */
  readonly visited?: readonly string[] | undefined;
  /** The current states have failed, or, after the end, the last one that was entered; not beside `failedIn`. */
  readonly isFailed?: boolean | undefined;
  /** The name of the state in which the run has failed, as in the event `state.failed`. */
  readonly failedIn?: string | undefined;
  /** How far states with items are, as in `progress` of `useConversation`: the chart says `12/20`. */
  readonly progress?: readonly StateProgress[] | undefined;
  /** What tests have reached, as in the output of `dramaturg test --coverage --json`. */
  readonly coverage?: readonly CountedUnit[] | undefined;
  /** A part of the definition whose state or arrows are highlighted and moved into view, as from `CoverageList`. */
  readonly highlighted?: Pick<CountedUnit, 'kind' | 'path'> | undefined;
  /** What the author wrote, or every node and transition. `overview` by default. */
  readonly detail?: 'overview' | 'full' | undefined;
  /** Top to bottom (the default), or left to right. */
  readonly direction?: 'TB' | 'LR' | undefined;
  /** The selected state, as the `path` of its keys. */
  readonly selected?: readonly string[] | undefined;
  /** Called with the selected state. */
  readonly onSelect?: ((node: DrawnNode) => void) | undefined;
  /** Light, dark, or as the reader's system says (`auto`, the default). */
  readonly colorScheme?: ColorScheme | undefined;
}

interface Shown {
  readonly drawing: Drawing;
  readonly marks: RunMarks;
  /** The ids of highlighted states and arrows. */
  readonly parts: ReadonlySet<string>;
}

const nothing: readonly StateValue[] = [];

/**
 * Draws a chart with its hierarchy and marks where a run is and has been. The layout and the canvas are loaded when first needed;
 * until then, and on a server, the states are shown as a list.
 */
export function Statechart(props: StatechartProps) {
  const { chart, detail = 'overview', direction = 'TB', colorScheme = 'auto' } = props;
  const { visited, isFailed, failedIn, progress, coverage, highlighted } = props;
  const [isMaximised, setMaximised] = useState(false);
  const next = useMemo(() => drawingOf(chart, { detail }), [chart, detail]);
  const values = Array.isArray(props.value)
    ? (props.value as StateValue[])
    : valueAsList(props.value);
  const facts = { values, visited, isFailed, failedIn, progress, coverage };
  const parts = useMemo(
    () => new Set(highlighted && drawnPartsOf(next, highlighted)),
    [next, highlighted],
  );
  const layout = useLayout(next, direction);
  // The last drawing is shown unchanged until the new one is placed, so that a chart and its marks change together.
  const last = useRef<Shown>(undefined);
  const isLate = layout.status === 'done' && layout.drawing !== next;
  const shown: Shown = (isLate ? last.current : undefined) ?? {
    drawing: next,
    marks: marksOf(chart, next, facts),
    parts,
  };
  useEffect(() => {
    last.current = shown;
  });
  const { drawing, marks } = shown;
  const { lights } = marks;
  const current = drawing.nodes.filter(({ id }) => lights.get(id) === 'current');
  const failed = drawing.nodes.filter(({ id }) => lights.get(id) === 'failed');
  return (
    <figure
      className="dg dg-statechart"
      data-color-scheme={colorScheme}
      data-status={layout.status}
      data-maximised={isMaximised || undefined}
      aria-label={`Statechart of ${drawing.title}`}
      onKeyDown={({ key }) => key === 'Escape' && setMaximised(false)}
    >
      <figcaption className="dg-visually-hidden" aria-live="polite">
        {current.length > 0 && `Current state: ${namesIn(current)}`}
        {failed.length > 0 && `Failed in: ${namesIn(failed)}`}
      </figcaption>
      {drawing.nodes.length === 0 && <p className="dg-empty">The chart is empty.</p>}
      {layout.status === 'done' ? (
        <>
          <div className="dg-visually-hidden">
            <Outline drawing={drawing} lights={lights} withTransitions />
          </div>
          <layout.Canvas
            selected={props.selected}
            onSelect={props.onSelect}
            colorScheme={colorScheme}
            drawing={drawing}
            placed={layout.placed}
            marks={marks}
            highlighted={shown.parts}
            isMaximised={isMaximised}
            onMaximise={setMaximised}
          />
          <layout.Legend drawing={drawing} hasCoverage={coverage !== undefined} />
        </>
      ) : (
        <div className="dg-statechart-outline">
          {layout.status === 'failed' && (
            <p role="alert">The chart could not be laid out: {String(layout.error)}</p>
          )}
          <Outline drawing={drawing} lights={lights} />
        </div>
      )}
    </figure>
  );
}

function namesIn(nodes: readonly DrawnNode[]): string {
  return nodes.map(({ name }) => name).join(', ');
}

function valueAsList(value: StatechartProps['value']): readonly StateValue[] {
  return value === undefined ? nothing : [value as StateValue];
}

type Layout =
  | { readonly status: 'working' }
  | {
      readonly status: 'done';
      readonly drawing: Drawing;
      readonly placed: PlacedDrawing;
      readonly Canvas: typeof Canvas;
      readonly Legend: typeof Legend;
    }
  | { readonly status: 'failed'; readonly error: unknown };

type Direction = NonNullable<LayoutOptions['direction']>;

/** Loads the drawing code after mounting, and computes the layout of a drawing. The previous layout stays until the new one is ready. */
function useLayout(drawing: Drawing | undefined, direction: Direction): Layout {
  const [layout, setLayout] = useState<Layout>({ status: 'working' });
  useEffect(() => {
    if (!drawing) return undefined;
    let isWanted = true;
    layOutDrawing(drawing, direction).then(
      (done) => isWanted && setLayout(done),
      (error: unknown) => isWanted && setLayout({ status: 'failed', error }),
    );
    return () => {
      isWanted = false;
    };
  }, [drawing, direction]);
  return layout;
}

async function layOutDrawing(drawing: Drawing, direction: Direction): Promise<Layout> {
  const { layOut, Canvas, Legend } = await import('./drawn.ts');
  return { status: 'done', drawing, placed: await layOut(drawing, { direction }), Canvas, Legend };
}

interface OutlineProps {
  readonly drawing: Drawing;
  readonly lights: ReadonlyMap<string, Light>;
  /** Whether each state also lists its transitions. */
  readonly withTransitions?: boolean;
}

/** A chart as nested lists: on a server, until the layout is ready, and for screen readers. */
function Outline(props: OutlineProps) {
  return <Level {...props} parent={undefined} />;
}

function Level(props: OutlineProps & { readonly parent: string | undefined }) {
  const { drawing, lights, parent, withTransitions } = props;
  const nodes = drawing.nodes.filter((node) => node.parent === parent && node.kind !== 'anywhere');
  if (nodes.length === 0) return null;
  return (
    <ul className="dg-outline">
      {nodes.map((node) => (
        <li key={node.id} aria-current={isCurrent(lights.get(node.id)) ? 'step' : undefined}>
          {node.name}
          {withTransitions && transitionsOf(node, drawing)}
          <Level {...props} parent={node.id} />
        </li>
      ))}
    </ul>
  );
}

function isCurrent(light: Light | undefined): boolean {
  return light === 'current' || light === 'failed';
}

/** `: to Billing (issue is billing), to End` */
function transitionsOf({ id }: DrawnNode, { nodes, edges }: Drawing): string {
  const leaving = edges.filter(({ source, sources = [source] }) => sources.includes(id));
  const words = leaving.map(({ target, label }: DrawnEdge) => {
    const name = nodes.find((node) => node.id === target)?.name ?? target;
    return `to ${name}${label === '' ? '' : ` (${label})`}`;
  });
  return words.length === 0 ? '' : `: ${words.join(', ')}`;
}
