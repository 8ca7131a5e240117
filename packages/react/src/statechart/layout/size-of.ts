import type { DrawnEdge, DrawnNode } from '@dramaturg/compiler';
import {
  historySize,
  labelPadding,
  labelStyle,
  nameStyle,
  paddingX,
  paddingY,
  smallestWidth,
  sortHeight,
} from './sizes.ts';
import { type TextBlock, textBlock } from './text.ts';

export interface NodeSize {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
}

/** The size of a state's text; for a parent, of its header. */
export function sizeOf({ kind, name, sort }: DrawnNode): NodeSize {
  if (kind === 'history') return { width: historySize, height: historySize, lines: ['H'] };
  const text = textBlock(name, nameStyle);
  const above = sort === undefined ? 0 : sortHeight;
  const widest =
    sort === undefined ? 0 : textBlock(sort.toUpperCase(), { ...nameStyle, size: 10 }).width;
  return {
    width: Math.max(smallestWidth, text.width, widest) + 2 * paddingX,
    height: Math.max(text.height, nameStyle.lineHeight) + above + 2 * paddingY,
    lines: text.lines,
  };
}

/** Maximum number of lines of a label. */
const mostLines = 8;

/** The size of an arrow's label with its border; undefined without a label. */
export function labelSize(edges: readonly DrawnEdge[]): TextBlock | undefined {
  const labels = edges.flatMap(({ label }) => (label === '' ? [] : label));
  if (labels.length === 0) return undefined;
  const style = { ...labelStyle, maxLines: labels.length > 2 ? 1 : labelStyle.maxLines };
  const blocks = labels.map((label) => textBlock(label, style));
  const all = blocks.flatMap(({ lines }) => lines);
  const hidden = all.length - mostLines;
  const lines = hidden > 0 ? [...all.slice(0, mostLines - 1), `and ${hidden + 1} more`] : all;
  return {
    lines,
    width: Math.max(...blocks.map(({ width }) => width)) + 2 * labelPadding + 2,
    height: lines.length * labelStyle.lineHeight + 2 * labelPadding,
  };
}
