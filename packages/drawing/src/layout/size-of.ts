import type { DrawnEdge, DrawnNode } from '@dramaturg/compiler/chart';
import { arrowLookOf } from '../kinds/arrows.ts';
import { iconSize } from '../kinds/icons.ts';
import { lookOf } from '../kinds/kinds.ts';
import { sideRoom, topRoom } from '../kinds/shapes.ts';
import {
  historySize,
  iconGap,
  labelIcon,
  labelPadding,
  labelStyle,
  nameStyle,
  paddingX,
  paddingY,
  smallestWidth,
  sortStyle,
  titleStyle,
} from './sizes.ts';
import { type TextBlock, textBlock } from './text.ts';

export interface NodeSize {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
  /** The upper left corner of the text in the node. */
  readonly text: { readonly x: number; readonly y: number };
}

/** The size of a state with its icon and its text; of a parent, the size of its header. */
export function sizeOf(drawn: DrawnNode, isParent = false): NodeSize {
  if (drawn.kind === 'history') {
    const text = { x: historySize / 2 - 5, y: 5 };
    return { width: historySize, height: historySize, lines: ['H'], text };
  }
  const { name, sort } = drawn;
  const { shape, icon } = lookOf(drawn);
  const [left, right] = isParent ? [0, 0] : sideRoom[shape];
  const above = isParent ? 0 : topRoom[shape];
  // A shared exit names all of its states.
  const style = drawn.kind === 'anywhere' ? { ...nameStyle, maxLines: 20 } : nameStyle;
  const block = textBlock(name, isParent ? titleStyle : style);
  const sortBlock = sort === undefined ? undefined : textBlock(sort.toUpperCase(), sortStyle);
  const text = { x: paddingX + left + (icon ? iconSize + iconGap : 0), y: paddingY + above };
  return {
    width: text.x + Math.max(smallestWidth, block.width, sortBlock?.width ?? 0) + paddingX + right,
    height:
      text.y + (sortBlock?.height ?? 0) + Math.max(block.height, nameStyle.lineHeight) + paddingY,
    lines: block.lines,
    text,
  };
}

/** The most lines of a label. */
const mostLines = 8;

/** The size of an arrow's label with its border and its icon; undefined without a label. */
export function labelSize(edges: readonly DrawnEdge[]): TextBlock | undefined {
  const labels = edges.flatMap(({ label }) => (label === '' ? [] : label));
  if (labels.length === 0) return undefined;
  const style = { ...labelStyle, maxLines: labels.length > 2 ? 1 : labelStyle.maxLines };
  const blocks = labels.map((label) => textBlock(label, style));
  const all = blocks.flatMap(({ lines }) => lines);
  const hidden = all.length - mostLines;
  const lines = hidden > 0 ? [...all.slice(0, mostLines - 1), `and ${hidden + 1} more`] : all;
  const icon = arrowLookOf(labels).icon === undefined ? 0 : labelIcon;
  return {
    lines,
    width: Math.max(...blocks.map(({ width }) => width)) + icon + 2 * labelPadding + 2,
    height: lines.length * labelStyle.lineHeight + 2 * labelPadding,
  };
}
