import { type Reach, reachWords } from '../coverage.ts';
import { legendOf } from '../kinds/legend.ts';
import { labelStyle } from '../layout/sizes.ts';
import type { PlacedDrawing, PlacedNode } from '../layout/placed.ts';
import { textBlock } from '../layout/text.ts';
import { arrowLight, arrowReach, type Marks } from '../marks.ts';
import { arrowSvg } from './arrow.ts';
import { element, escaped } from './markup.ts';
import { iconSvg, reachMark, stateSvg } from './state.ts';
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
  const entries = legend ? [...kindEntries(nodes), ...reachEntries(marks)] : [];
  const explained = legendSvg(entries, drawing.width, drawing.height);
  const width = Math.ceil(Math.max(drawing.width, explained?.width ?? 0));
  const height = Math.ceil(drawing.height + (explained?.height ?? 0));
  const states = nodes.map((node) =>
    element(
      'g',
      { transform: `translate(${node.box.x} ${node.box.y})` },
      stateSvg(node, {
        light: marks.lights?.get(node.id),
        progress: marks.progress?.get(node.id),
        reach: marks.coverage?.get(node.id),
        isRegion: byId.get(node.parent ?? '')?.drawn?.kind === 'parallel',
      }),
    ),
  );
  const arrows = edges.map((edge) =>
    arrowSvg(edge, arrowLight(edge, marks), arrowReach(edge, marks)),
  );
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

/** An explanation with its sign. */
interface Entry {
  readonly text: string;
  readonly sign: string;
  /** In pixels; that of an icon when left out. */
  readonly signWidth?: number;
  readonly tint?: string;
}

function kindEntries(nodes: readonly PlacedNode[]): readonly Entry[] {
  const entries = legendOf({ nodes: nodes.flatMap(({ drawn }) => drawn ?? []) });
  if (entries.length < 2) return [];
  return entries.map(({ word, look }) => ({
    text: `${word}: ${look.meaning}`,
    sign: look.icon === undefined ? '' : iconSvg(look.icon, 0, 0, 0.9),
    tint: look.tint,
  }));
}

/** What the marks of coverage mean. */
function reachEntries({ coverage }: Marks): readonly Entry[] {
  if (!coverage) return [];
  return (Object.keys(reachWords) as Reach[]).map((reach) => ({
    text: reachWords[reach],
    sign: reachMark(reach, 8, 7) + arrowSample(reach),
    signWidth: 56,
  }));
}

function arrowSample(reach: Reach): string {
  return element(
    'g',
    { class: 'dg-arrow', 'data-coverage': reach },
    element('path', { class: 'dg-arrow-line', d: 'M20 7H48' }),
  );
}

/** The explanations in rows below the drawing. */
function legendSvg(entries: readonly Entry[], room: number, top: number) {
  if (entries.length === 0) return undefined;
  const style = { ...labelStyle, maxWidth: 400, maxLines: 1 };
  let [x, y, width] = [24, top + 8, 0];
  const parts = entries.map(({ text, sign, signWidth = 22, tint }) => {
    const needed = textBlock(text, style).width + signWidth + 22;
    if (x > 24 && x + needed > Math.max(room, 360)) [x, y] = [24, y + 22];
    const group = element(
      'g',
      { class: 'dg-node', 'data-tint': tint, transform: `translate(${x} ${y})` },
      sign + element('text', { class: 'dg-legend', x: signWidth, y: 11 }, escaped(text)),
    );
    x += needed;
    width = Math.max(width, x);
    return group;
  });
  return { markup: parts.join('\n'), width, height: y + 30 - top };
}
