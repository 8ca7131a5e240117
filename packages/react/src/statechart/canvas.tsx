import type { DrawnNode, Drawing } from '@dramaturg/compiler/chart';
import type { PlacedDrawing } from '@dramaturg/drawing';
import { MiniMap, ReactFlow, ReactFlowProvider, useStore } from '@xyflow/react';
import type { RunMarks } from './run-marks.ts';
import { useEffect, useRef } from 'react';
import type { ColorScheme } from '../color-scheme.ts';
import { Arrow } from './arrow.tsx';
import { ChartControls } from './chart-controls.tsx';
import { flowEdges, flowNodes } from './flow.ts';
import { boxAround } from './box-around.ts';
import { DotNode, StateNode } from './state-node.tsx';
import { useArrowKeys } from './use-arrow-keys.ts';
import { useKept } from './use-kept.ts';
import { useView } from './use-view.ts';
import { zoomLevel } from './zoom-level.ts';

const nodeTypes = { state: StateNode, dot: DotNode };
const edgeTypes = { arrow: Arrow };

/** The screen reader description of a state. By default React Flow says that it can be moved and deleted. */
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
