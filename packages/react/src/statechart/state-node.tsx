import type { DrawnNode } from '@dramaturg/compiler/chart';
import { type Light, lookOf, reachWords, stateSvg } from '@dramaturg/drawing';
import { Handle, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import type { StateFlowNode } from './flow.ts';

/** A state: the drawing that SVG files have too, and the same in words. */
export const StateNode = memo(function StateNode({ data }: NodeProps<StateFlowNode>) {
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

/** Text for what only shapes and colours show. */
function unseenWords(drawn: DrawnNode, light: Light, progress = ''): string {
  const hidden = lookOf(drawn).isHidden && drawn.kind !== 'anywhere' ? 'hidden' : '';
  return [kindWords[drawn.kind], hidden, lightWords[light], progress]
    .filter((word) => word !== '')
    .join(', ');
}

/** The dot before the initial state. */
export const DotNode = memo(function DotNode() {
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
