import type { Drawing } from '@dramaturg/compiler/chart';
import { type Reach, reachWords } from '../coverage.ts';
import { arrowLookOf } from '../kinds/arrows.ts';
import { type Look, lookOf } from '../kinds/kinds.ts';
import type { PlacedDrawing, PlacedEdge, PlacedNode, Point } from '../layout/placed.ts';
import { labelIcon, labelPadding, labelStyle } from '../layout/sizes.ts';
import { textBlock } from '../layout/text.ts';
import { arrowLight, arrowReach, type Marks } from '../marks.ts';
import { element, escaped, iconSvg, reachMark, stateSvg } from './state.ts';
import { fileStyle } from './style.ts';

export interface SvgOptions {
  /** For screen readers. */
  readonly title?: string;
  /** The marks of a run. */
  readonly marks?: Marks;
  /** `auto`, the default, follows the reader's system. */
  readonly colorScheme?: 'auto' | 'light' | 'dark';
  /** Whether the kinds of states are explained below the drawing. True by default. */
  readonly legend?: boolean;
}

/** Prints a placed drawing as a self-contained SVG file: no script, no font, no style sheet. */
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
  /** In pixels; the width of an icon when absent. */
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

/** Explains the marks of coverage. */
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

/** A kind of state that a drawing contains. */
export interface LegendEntry {
  /** The format's word for the kind. */
  readonly word: string;
  readonly look: Look;
}

/** The kinds of states of a drawing, in the order in which they first occur. */
export function legendOf({ nodes }: Pick<Drawing, 'nodes'>): readonly LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  for (const node of nodes) {
    const word = node.sort ?? (node.kind === 'final' ? 'end' : undefined);
    if (word === undefined || node.kind === 'history') continue;
    if (!entries.has(word)) entries.set(word, { word, look: lookOf(node) });
  }
  return [...entries.values()];
}

const cornerRadius = 7;
const headLength = 8;

/** An arrow along the points of the layout, with its words on the line. */
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
