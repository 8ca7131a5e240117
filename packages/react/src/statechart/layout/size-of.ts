import type { DrawnNode } from '@dramaturg/compiler';
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

/** The room for a state's own text; for one with others in it that of its header. */
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

/** The room for the label of an arrow, with its border. */
export function labelSize(label: string): TextBlock {
  const { lines, width, height } = textBlock(label, labelStyle);
  return { lines, width: width + 2 * labelPadding + 2, height: height + 2 * labelPadding };
}
