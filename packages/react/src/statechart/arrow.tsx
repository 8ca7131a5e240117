import type { EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { ArrowFlowEdge } from './flow.ts';
import type { Point } from './layout/placed.ts';
import { labelPadding, labelStyle } from './layout/sizes.ts';

const cornerRadius = 7;
const headLength = 7;

/** An arrow along the corners from the layout, with its label. */
export const Arrow = memo(function Arrow({ data }: EdgeProps<ArrowFlowEdge>) {
  if (!data) return null;
  const { placed, light } = data;
  const { points, label } = placed;
  return (
    <g className="dg-arrow" data-light={light}>
      <path className="dg-arrow-line" d={roundedPath(points)} />
      <path className="dg-arrow-head" d={head(points)} />
      {label && (
        <g transform={`translate(${label.box.x} ${label.box.y})`}>
          <title>{placed.drawn.map((each) => each.label).join('\n')}</title>
          <rect className="dg-label-box" width={label.box.width} height={label.box.height} rx={4} />
          <text className="dg-label" textAnchor="middle">
            {label.lines.map((line, index) => (
              <tspan
                key={index}
                x={label.box.width / 2}
                y={labelPadding + (index + 0.78) * labelStyle.lineHeight}
              >
                {line}
              </tspan>
            ))}
          </text>
        </g>
      )}
    </g>
  );
});

function roundedPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first.x} ${first.y}`;
  let before = first;
  for (const [index, corner] of rest.entries()) {
    const next = rest[index + 1];
    if (!next) path += `L${corner.x} ${corner.y}`;
    else {
      const from = towards(corner, before);
      const to = towards(corner, next);
      path += `L${from.x} ${from.y}Q${corner.x} ${corner.y} ${to.x} ${to.y}`;
    }
    before = corner;
  }
  return path;
}

/** The point where the rounding of a corner begins, towards another point. */
function towards(corner: Point, other: Point): Point {
  const [dx, dy] = [other.x - corner.x, other.y - corner.y];
  const length = Math.hypot(dx, dy) || 1;
  const part = Math.min(cornerRadius, length / 2) / length;
  return { x: corner.x + dx * part, y: corner.y + dy * part };
}

function head(points: readonly Point[]): string {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (!tip || !before) return '';
  const angle = Math.atan2(tip.y - before.y, tip.x - before.x);
  const side = (turn: number) => {
    const at = angle + Math.PI - turn;
    return `${tip.x + headLength * Math.cos(at)} ${tip.y + headLength * Math.sin(at)}`;
  };
  return `M${side(0.45)}L${tip.x} ${tip.y}L${side(-0.45)}Z`;
}
