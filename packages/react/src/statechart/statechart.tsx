import type { Chart, DrawnNode, Drawing } from '@dramaturg/compiler';
import { drawingOf } from '@dramaturg/compiler';
import { ControlButton, Controls, ReactFlow, ReactFlowProvider } from '@xyflow/react';
import { useMemo, useRef } from 'react';
import type { StateValue } from 'xstate';
import type { ColorScheme } from '../color-scheme.ts';
import { Arrow } from './arrow.tsx';
import { flowEdges, flowNodes } from './flow.ts';
import { lightsFor } from './lit.ts';
import { Outline } from './outline.tsx';
import { DotNode, StateNode } from './state-node.tsx';
import { useLayout } from './use-layout.ts';
import { useView } from './use-view.ts';

export interface StatechartProps {
  readonly chart: Chart;
  /**
   * The `value` of one or several snapshots to highlight. The value of a machine that a node runs for an item is nested
   * in that node, as in `values` of `useConversation`.
   */
  readonly value?: StateValue | readonly StateValue[] | undefined;
  /** What the author wrote, or every node and transition. `overview` by default. */
  readonly detail?: 'overview' | 'full' | undefined;
  /** Top to bottom, or left to right. */
  readonly direction?: 'TB' | 'LR' | undefined;
  /** The selected state, as the `path` of its keys. */
  readonly selected?: readonly string[] | undefined;
  /** Called with the selected state. */
  readonly onSelect?: ((node: DrawnNode) => void) | undefined;
  readonly colorScheme?: ColorScheme | undefined;
}

const nodeTypes = { state: StateNode, dot: DotNode };
const edgeTypes = { arrow: Arrow };
const nothing: readonly StateValue[] = [];

/**
 * Draws a chart with its hierarchy and highlights the current states. The layout engine is loaded when first needed;
 * until then, and on a server, the states are shown as a list.
 */
export function Statechart(props: StatechartProps) {
  const { chart, detail = 'overview', direction = 'TB', colorScheme = 'auto' } = props;
  const drawing = useMemo(() => drawingOf(chart, { detail }), [chart, detail]);
  const values = Array.isArray(props.value)
    ? (props.value as StateValue[])
    : valueAsList(props.value);
  const lights = lightsFor(chart, drawing, values);
  const layout = useLayout(drawing, direction);
  const current = drawing.nodes.filter(({ id }) => lights.get(id) === 'current');
  return (
    <figure
      className="dg dg-statechart"
      data-color-scheme={colorScheme}
      data-status={layout.status}
      aria-label={`Statechart of ${drawing.title}`}
    >
      <figcaption className="dg-visually-hidden" aria-live="polite">
        {current.length > 0 && `Current state: ${current.map(({ name }) => name).join(', ')}`}
      </figcaption>
      {drawing.nodes.length === 0 && <p className="dg-empty">The chart is empty.</p>}
      {layout.status === 'done' ? (
        <ReactFlowProvider>
          <Canvas {...props} drawing={drawing} placed={layout.placed} lights={lights} />
        </ReactFlowProvider>
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

function valueAsList(value: StatechartProps['value']): readonly StateValue[] {
  return value === undefined ? nothing : [value as StateValue];
}

/** The screen reader description of a state. By default React Flow says that it can be moved and deleted. */
const described = (words: string) => ({ 'node.a11yDescription.keyboardDisabled': words });
const pickable = described('Press enter or space to select this state.');
const inert = described('');

interface CanvasProps extends StatechartProps {
  readonly drawing: Drawing;
  readonly placed: Parameters<typeof flowNodes>[0];
  readonly lights: Parameters<typeof flowNodes>[1];
}

function Canvas({ drawing, placed, lights, selected, onSelect }: CanvasProps) {
  const picked = selected && drawing.nodes.find(({ path }) => isSame(path, selected))?.id;
  const nodes = flowNodes(placed, lights, picked);
  const edges = flowEdges(placed, lights);
  const place = useRef<HTMLDivElement>(null);
  const view = useView(place, placed, lights);
  const pick = (id: string) => {
    const node = drawing.nodes.find((each) => each.id === id);
    if (node) onSelect?.(node);
  };
  return (
    <div
      className="dg-canvas"
      ref={place}
      onKeyDown={({ key, target }) => {
        const id = (target as HTMLElement).dataset['id'];
        if ((key === 'Enter' || key === ' ') && id !== undefined) pick(id);
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
      >
        <Controls
          showInteractive={false}
          showFitView={false}
          position="bottom-left"
          aria-label="Zoom"
        >
          <ControlButton onClick={view.showAll} title="Show all" aria-label="Show all">
            <svg viewBox="0 0 16 16" aria-hidden>
              <path
                d="M1 5V1h4M11 1h4v4M15 11v4h-4M5 15H1v-4"
                fill="none"
                stroke="currentColor"
                strokeWidth="2"
              />
            </svg>
          </ControlButton>
        </Controls>
      </ReactFlow>
    </div>
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
