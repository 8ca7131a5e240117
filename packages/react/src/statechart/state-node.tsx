import type { DrawnNode } from '@dramaturg/compiler';
import { Handle, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import type { StateFlowNode } from './flow.ts';
import type { Light } from './lit.ts';

/** A state: its sort in the words of its format, its name, and space for its children. */
export const StateNode = memo(function StateNode({ data }: NodeProps<StateFlowNode>) {
  const { drawn, lines, header, light, isRegion, isSelected } = data;
  return (
    <>
      <div
        className="dg-state"
        data-kind={drawn.kind}
        data-light={light}
        data-composite={header > 0 || undefined}
        data-region={isRegion || undefined}
        data-selected={isSelected || undefined}
        title={[drawn.name, drawn.description].filter(Boolean).join('\n')}
      >
        <Ends />
        <div className="dg-state-head" style={header > 0 ? { height: header } : undefined}>
          {drawn.sort !== undefined && <span className="dg-state-sort">{drawn.sort} </span>}
          <span className="dg-state-name">
            {lines.map((line, index) => (
              <span key={index}>{line} </span>
            ))}
          </span>
        </div>
      </div>
      <span className="dg-visually-hidden">{unseenWords(drawn, light)}</span>
    </>
  );
});

/** Screen reader text for what only border and colour show. */
function unseenWords({ kind }: DrawnNode, light: Light): string {
  const words = [
    {
      atomic: '',
      compound: '',
      parallel: 'parallel',
      final: 'final',
      history: 'history',
      anywhere: '',
    }[kind],
    light === 'current' ? 'current state' : '',
  ];
  return words.filter((word) => word !== '').join(', ');
}

/** The dot before the initial state. */
export const DotNode = memo(function DotNode() {
  return (
    <div className="dg-dot">
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
