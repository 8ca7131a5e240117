import type { DrawnNode, Drawing } from '@dramaturg/compiler/chart';
import {
  arrowSvg,
  type Box,
  type Light,
  lookOf,
  type PlacedDrawing,
  reachWords,
  stateSvg,
} from '@dramaturg/drawing';
import {
  type EdgeProps,
  Handle,
  MiniMap,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useStore,
} from '@xyflow/react';
import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import type { ColorScheme } from '../color-scheme.ts';
import { ChartControls } from './chart-controls.tsx';
import { type ArrowFlowEdge, flowEdges, flowNodes, isArrowIn, type StateFlowNode } from './flow.ts';
import type { RunMarks } from './run-marks.ts';
import { useView } from './use-view.ts';

/** A state: the same drawing as in SVG files, and its description in words. */
const StateNode = memo(function StateNode({ data }: NodeProps<StateFlowNode>) {
  const { placed, drawn, light, progress, reach, isRegion, isSelected } = data;
  const { width, height } = placed.box;
  const markup = stateSvg(placed, { light, progress, reach, isRegion, withFarName: true });
  return (
    <div
      className="dg-state"
      data-kind={drawn.kind}
      data-light={light}
      data-selected={isSelected || undefined}
      title={[drawn.name, drawn.description].filter(Boolean).join('\n')}
    >
      <Ends />
      <svg
        aria-hidden
        width={width}
        height={height}
        // oxlint-disable-next-line react/no-danger -- `stateSvg` escapes all text, for SVG files too.
        dangerouslySetInnerHTML={{ __html: markup }}
      />
      <span className="dg-visually-hidden">
        {drawn.sort !== undefined && <span>{drawn.sort} </span>}
        <span className="dg-state-name">{drawn.name}</span> {unseenWords(drawn, light, progress)}
        {reach !== undefined && <span> {reachWords[reach]}</span>}
      </span>
    </div>
  );
});

const kindWords: Readonly<Record<DrawnNode['kind'], string>> = {
  atomic: '',
  compound: '',
  parallel: 'parallel',
  final: 'final',
  history: 'history',
  anywhere: '',
  group: '',
  entry: 'beginning',
};

const lightWords: Readonly<Record<Light, string>> = {
  current: 'current state',
  around: '',
  visited: 'visited',
  done: 'done',
  next: 'possible next state',
  failed: 'failed',
  off: '',
};

/** Describes in words what only shapes and colours show. */
function unseenWords(drawn: DrawnNode, light: Light, progress = ''): string {
  const hidden = lookOf(drawn).isHidden && drawn.kind !== 'anywhere' ? 'hidden' : '';
  return [kindWords[drawn.kind], hidden, lightWords[light], progress]
    .filter((word) => word !== '')
    .join(', ');
}

/** The dot before the initial state. */
const DotNode = memo(function DotNode() {
  return (
    <div className="dg-start">
      <Ends />
    </div>
  );
});

/** Invisible handles: React Flow requires them, but our arrows follow the layout. */
function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} className="dg-end" />
      <Handle type="source" position={Position.Bottom} isConnectable={false} className="dg-end" />
    </>
  );
}

/** An arrow with its words: the same drawing as in SVG files. */
const Arrow = memo(function Arrow({ data }: EdgeProps<ArrowFlowEdge>) {
  if (!data) return null;
  const markup = arrowSvg(data.placed, data.light, data.reach);
  return (
    <g
      className="dg-arrow-box"
      data-highlighted={data.isHighlighted || undefined}
      aria-hidden
      // oxlint-disable-next-line react/no-danger -- `arrowSvg` escapes all text, for SVG files too.
      dangerouslySetInnerHTML={{ __html: markup }}
    />
  );
});

/**
 * The details of a chart at a zoom: only shapes and icons, names in large letters, names, or everything. No text is smaller than
 * 10 pixels on the screen.
 */
export type ZoomLevel = 'shapes' | 'far' | 'names' | 'all';

/** The zoom from which each level is readable: 10 pixels divided by the size of its smallest text. */
const levels: readonly (readonly [from: number, level: ZoomLevel])[] = [
  [10 / 11, 'all'],
  [10 / 13, 'names'],
  [10 / 20, 'far'],
];

export function zoomLevel(zoom: number): ZoomLevel {
  // A zoom that was computed for a limit may be slightly below it.
  return levels.find(([from]) => zoom >= from - 0.005)?.[1] ?? 'shapes';
}

const nodeTypes = { state: StateNode, dot: DotNode };
const edgeTypes = { arrow: Arrow };

/** The screen reader description of a state. React Flow's default says that it can be moved and deleted. */
const described = (words: string) => ({ 'node.a11yDescription.keyboardDisabled': words });
const pickable = described(
  'Arrow keys follow the transitions. Press enter or space to select this state.',
);
const inert = described('Arrow keys follow the transitions.');

interface CanvasProps {
  readonly drawing: Drawing;
  readonly placed: PlacedDrawing;
  readonly marks: RunMarks;
  /** The ids of states and arrows. */
  readonly highlighted: ReadonlySet<string>;
  readonly selected?: readonly string[] | undefined;
  readonly onSelect?: ((node: DrawnNode) => void) | undefined;
  readonly colorScheme?: ColorScheme | undefined;
  readonly isMaximised: boolean;
  readonly onMaximise: (isMaximised: boolean) => void;
}

/** The drawn chart, which can be moved and zoomed. It is loaded when the first chart is drawn, because React Flow is large. */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <MovableChart {...props} />
    </ReactFlowProvider>
  );
}

function MovableChart(props: CanvasProps) {
  const { drawing, placed, marks, highlighted, selected, onSelect } = props;
  const picked = selected && drawing.nodes.find(({ path }) => isSame(path, selected))?.id;
  const place = useRef<HTMLDivElement>(null);
  const view = useView(place, placed, marks.lights);
  const keys = useArrowKeys(place, drawing, marks.lights, view.showState);
  const level = useStore(({ transform }) => zoomLevel(transform[2]));
  const isCut = useStore(
    ({ transform, width, height }) =>
      placed.width * transform[2] > width + 1 || placed.height * transform[2] > height + 1,
  );
  const chosen = { selected: picked, focusable: keys.focusable, highlighted };
  const nodes = useKept(flowNodes(placed, marks, chosen));
  const edges = useKept(flowEdges(placed, marks, highlighted));
  useEffect(() => {
    const box = boxAround(placed, highlighted);
    if (box) view.showBox(box);
  }, [placed, highlighted]);
  const pick = (id: string) => {
    const node = drawing.nodes.find((each: DrawnNode) => each.id === id);
    if (node) onSelect?.(node);
  };
  return (
    <div
      className="dg-canvas"
      ref={place}
      data-zoom={level}
      onKeyDown={(event) => {
        const id = (event.target as HTMLElement).dataset['id'];
        if (id === undefined) return;
        if (event.key === 'Enter' || event.key === ' ') pick(id);
        if (keys.follow(id, event.key)) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={view.take}
        onMoveStart={(event) => event && view.leaveToReader()}
        onNodeClick={(_, { id }) => pick(id)}
        minZoom={0.05}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        nodesFocusable
        ariaLabelConfig={onSelect ? pickable : inert}
        edgesFocusable={false}
        zoomOnDoubleClick={false}
        onlyRenderVisibleElements={placed.nodes.length > 150}
      >
        <ChartControls {...props} onShowAll={view.showAll} />
        {isCut && (
          <MiniMap
            pannable
            zoomable
            position="bottom-right"
            ariaLabel="Overview of the chart"
            nodeClassName={({ id }) => `dg-mini dg-mini-${marks.lights.get(id) ?? 'off'}`}
          />
        )}
      </ReactFlow>
    </div>
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

/** The box around states and arrows, by their ids; undefined when none of them is drawn. */
function boxAround({ nodes, edges }: PlacedDrawing, ids: ReadonlySet<string>): Box | undefined {
  const corners = [
    ...nodes.flatMap(({ id, box }) =>
      ids.has(id) ? [box, { x: box.x + box.width, y: box.y + box.height }] : [],
    ),
    ...edges.flatMap((edge) => (isArrowIn(edge, ids) ? edge.points : [])),
  ];
  if (corners.length === 0) return undefined;
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** The items of this drawing. Items that equal those of the last drawing are the same objects. */
function useKept<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  const last = useRef<Item[]>([]);
  const kept = keptItems(last.current, items);
  useEffect(() => {
    last.current = kept;
  });
  return kept;
}

/**
 * Replaces items by equal earlier ones. React Flow redraws every new object, so a step of a run then redraws a few states instead
 * of all.
 *
 * @returns `before` itself if nothing has changed
 */
export function keptItems<Item extends { readonly id: string }>(
  before: Item[],
  items: readonly Item[],
): Item[] {
  const byId = new Map(before.map((item) => [item.id, item]));
  const kept = items.map((item) => {
    const last = byId.get(item.id);
    return last !== undefined && isEqual(last, item) ? last : item;
  });
  const isUnchanged =
    kept.length === before.length && kept.every((item, index) => item === before[index]);
  return isUnchanged ? before : kept;
}

/** Compares two objects by their fields, including those of nested objects. */
function isEqual(one: object, other: object, depth = 2): boolean {
  const fields = Object.entries(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([key, value]) => {
      const match: unknown = (other as Readonly<Record<string, unknown>>)[key];
      return (
        value === match ||
        (depth > 1 && isObject(value) && isObject(match) && isEqual(value, match, depth - 1))
      );
    })
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * One state of the chart is in the tab order: the current one, or the first. The down key follows a transition, and the up key
 * goes back along one. Left and right lead to the alternative targets of the last transition.
 */
function useArrowKeys(
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
