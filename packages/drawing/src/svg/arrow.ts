import { arrowLookOf } from '../kinds/arrows.ts';
import type { Reach } from '../coverage.ts';
import { labelIcon, labelPadding, labelStyle } from '../layout/sizes.ts';
import type { PlacedEdge, Point } from '../layout/placed.ts';
import { element, escaped } from './markup.ts';
import { iconSvg } from './state.ts';

const cornerRadius = 7;
const headLength = 8;

/** An arrow along the corners from the layout, with its words on the line. */
export function arrowSvg(
  edge: PlacedEdge,
  light: 'visited' | 'next' | 'off' = 'off',
  reach?: Reach,
): string {
  const { points, drawn } = edge;
  const look = arrowLookOf(drawn.map(({ label }) => label));
  return element(
    'g',
    { class: 'dg-arrow', 'data-light': light, 'data-error': look.isError, 'data-coverage': reach },
    element('path', { class: 'dg-arrow-line', d: roundedPath(points) }) +
      element('path', { class: 'dg-arrow-head', d: head(points) }) +
      labelSvg(edge),
  );
}

function labelSvg({ label, drawn }: PlacedEdge): string {
  if (!label) return '';
  const { box, lines } = label;
  const { icon } = arrowLookOf(drawn.map((each) => each.label));
  const middle = (box.width + (icon ? labelIcon : 0)) / 2;
  const parts = lines.map((line, index) =>
    element(
      'tspan',
      { x: middle, y: labelPadding + (index + 0.78) * labelStyle.lineHeight },
      escaped(line),
    ),
  );
  return element(
    'g',
    { class: 'dg-label-group', transform: `translate(${box.x} ${box.y})` },
    [
      element('title', {}, escaped(drawn.map((each) => each.label).join('\n'))),
      element('rect', { class: 'dg-label-box', width: box.width, height: box.height, rx: 4 }),
      icon === undefined
        ? ''
        : element(
            'g',
            { class: 'dg-label-icon dg-node' },
            iconSvg(icon, labelPadding, box.height / 2 - 6, 0.75),
          ),
      element('text', { class: 'dg-label' }, parts.join('')),
    ].join(''),
  );
}

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
