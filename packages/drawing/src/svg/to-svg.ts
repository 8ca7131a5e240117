import { legendOf } from '../kinds/legend.ts';
import { labelStyle } from '../layout/sizes.ts';
import type { PlacedDrawing, PlacedNode } from '../layout/placed.ts';
import { textBlock } from '../layout/text.ts';
import { arrowLight, type Marks } from '../marks.ts';
import { arrowSvg } from './arrow.ts';
import { element, escaped } from './markup.ts';
import { iconSvg, stateSvg } from './state.ts';
import { fileStyle } from './style.ts';

export interface SvgOptions {
  /** For people who hear the drawing. */
  readonly title?: string;
  /** What a run says about the states. */
  readonly marks?: Marks;
  /** `auto`, the default, follows the reader's system. */
  readonly colorScheme?: 'auto' | 'light' | 'dark';
  /** Whether the kinds of states are explained below the drawing. True by default. */
  readonly legend?: boolean;
}

/** Prints a placed drawing as an SVG file that needs nothing else: no script, no font, no style sheet. */
export function toSvg(drawing: PlacedDrawing, options: SvgOptions = {}): string {
  const { title = 'Statechart', marks = {}, colorScheme = 'auto', legend = true } = options;
  const { nodes, edges } = drawing;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const explained = legend ? legendSvg(nodes, drawing.width, drawing.height) : undefined;
  const width = Math.ceil(Math.max(drawing.width, explained?.width ?? 0));
  const height = Math.ceil(drawing.height + (explained?.height ?? 0));
  const states = nodes.map((node) =>
    element(
      'g',
      { transform: `translate(${node.box.x} ${node.box.y})` },
      stateSvg(node, {
        light: marks.lights?.get(node.id),
        progress: marks.progress?.get(node.id),
        isRegion: byId.get(node.parent ?? '')?.drawn?.kind === 'parallel',
      }),
    ),
  );
  const arrows = edges.map((edge) => arrowSvg(edge, arrowLight(edge, marks)));
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-label': title,
    },
    [
      `\n${element('title', {}, escaped(title))}`,
      element('style', {}, escaped(fileStyle(colorScheme))),
      element('rect', { width, height, class: 'dg-label-box' }),
      ...states,
      ...arrows,
      explained?.markup ?? '',
    ].join('\n'),
  )}\n`;
}

/** The kinds of the drawn states in rows below the drawing. */
function legendSvg(nodes: readonly PlacedNode[], room: number, top: number) {
  const entries = legendOf({ nodes: nodes.flatMap(({ drawn }) => drawn ?? []) });
  if (entries.length < 2) return undefined;
  const style = { ...labelStyle, maxWidth: 400, maxLines: 1 };
  let [x, y, width] = [24, top + 8, 0];
  const parts = entries.map(({ word, look }) => {
    const text = `${word}: ${look.meaning}`;
    const needed = textBlock(text, style).width + 44;
    if (x > 24 && x + needed > Math.max(room, 360)) [x, y] = [24, y + 22];
    const group = element(
      'g',
      { class: 'dg-node', 'data-tint': look.tint, transform: `translate(${x} ${y})` },
      (look.icon === undefined ? '' : iconSvg(look.icon, 0, 0, 0.9)) +
        element('text', { class: 'dg-legend', x: 22, y: 11 }, escaped(text)),
    );
    x += needed;
    width = Math.max(width, x);
    return group;
  });
  return { markup: parts.join('\n'), width, height: y + 30 - top };
}
