import type { Reach } from '../coverage.ts';
import { icons, iconSize } from '../kinds/icons.ts';
import { lookOf } from '../kinds/kinds.ts';
import { outlineOf } from '../kinds/shapes.ts';
import type { PlacedNode } from '../layout/placed.ts';
import { farSizes, nameStyle, sortStyle } from '../layout/sizes.ts';
import { textBlock } from '../layout/text.ts';
import type { Light } from '../marks.ts';

export interface StateMarks {
  readonly light?: Light | undefined;
  /** The progress of a state with items or branches: `12/20`. */
  readonly progress?: string | undefined;
  /** The coverage of the state by tests. */
  readonly reach?: Reach | undefined;
  /** The state is a region of a parallel state. */
  readonly isRegion?: boolean;
  /** Adds the name in large letters, for a style sheet that shows it instead of the other texts of a small drawing. */
  readonly withFarName?: boolean;
}

/** A state as SVG in a box from 0,0: outline, icon, the format's word, name, and the mark of the run. */
export function stateSvg(
  node: PlacedNode,
  { light = 'off', progress, reach, isRegion, withFarName }: StateMarks = {},
): string {
  const { drawn, box, header, step } = node;
  if (!drawn) return dotSvg(node);
  const look = lookOf(drawn);
  const isParent = header > 0;
  const { outline, lines } =
    drawn.kind === 'history'
      ? outlineOf('pill', box.width, box.height)
      : outlineOf(isParent ? 'card' : look.shape, box.width, box.height);
  return element(
    'g',
    {
      class: 'dg-node',
      'data-kind': drawn.kind,
      'data-tint': look.tint,
      'data-light': light,
      'data-hidden': look.isHidden,
      'data-parent': isParent,
      'data-region': isRegion,
      'data-coverage': reach,
      'data-sort': drawn.sort !== undefined,
      'data-task': !isParent && drawn.sort === undefined && drawn.kind === 'atomic',
    },
    [
      element('path', { class: 'dg-outline-path', d: outline }),
      lines === undefined ? '' : element('path', { class: 'dg-inner-path', d: lines }),
      textSvg(node, progress),
      withFarName ? farName(node) : '',
      step === undefined ? '' : badge(0, box.height / 2, String(step)),
      mark(light, box.width),
      reach === undefined ? '' : reachMark(reach, box.width - 4, box.height - 4),
    ].join(''),
  );
}

function dotSvg({ box: { width } }: PlacedNode): string {
  return element('circle', { class: 'dg-dot', cx: width / 2, cy: width / 2, r: width / 2 });
}

/** The icon, the format's word above the name, and the name. */
function textSvg({ drawn, text, lines }: PlacedNode, progress: string | undefined): string {
  const { icon } = lookOf(drawn!);
  const sort = drawn!.kind === 'history' ? undefined : drawn!.sort;
  const above = sort === undefined ? 0 : sortStyle.lineHeight;
  const middle = (above + lines.length * nameStyle.lineHeight) / 2;
  const parts = lines.map((line, index) =>
    element(
      'tspan',
      { x: text.x, y: text.y + above + (index + 0.77) * nameStyle.lineHeight },
      escaped(line),
    ),
  );
  const word = [sort?.toUpperCase(), progress].filter(Boolean).join(' · ');
  return [
    icon === undefined || drawn!.kind === 'history'
      ? ''
      : iconSvg(icon, text.x - iconSize - 8, text.y + middle - iconSize / 2),
    word === ''
      ? ''
      : element('text', { class: 'dg-sort', x: text.x, y: text.y + 10 }, escaped(word)),
    element('text', { class: 'dg-name' }, parts.join('')),
  ].join('');
}

/** The name in letters that are readable at half size, or in smaller ones if only they leave the name whole. */
function farName({ drawn, lines, box, header }: PlacedNode): string {
  if (drawn!.kind === 'history' || lines.length === 0) return '';
  const height = header > 0 ? header : box.height;
  const blockOf = (size: number) => {
    const lineHeight = size * 1.2;
    const maxLines = Math.max(1, Math.floor((height - 4) / lineHeight));
    return textBlock(drawn!.name, { size, lineHeight, maxWidth: box.width - 12, maxLines });
  };
  const isWhole = (each: number) => !blockOf(each).lines.at(-1)!.endsWith('…');
  const size = farSizes.find(isWhole) ?? farSizes[0];
  const block = blockOf(size);
  const top = (height - block.height) / 2;
  const parts = block.lines.map((line, index) =>
    element('tspan', { x: box.width / 2, y: top + (index + 0.78) * 1.2 * size }, escaped(line)),
  );
  return element('text', { class: 'dg-far-name', 'data-size': size }, parts.join(''));
}

export function iconSvg(icon: keyof typeof icons, x: number, y: number, scale = 1): string {
  const transform = `translate(${x} ${y})${scale === 1 ? '' : ` scale(${scale})`}`;
  return element('path', { class: 'dg-icon', d: icons[icon], transform });
}

function badge(x: number, y: number, text: string): string {
  return (
    element('circle', { class: 'dg-badge', cx: x, cy: y, r: 9 }) +
    element('text', { class: 'dg-badge-text', x, y: y + 4 }, escaped(text))
  );
}

/** A tick, a half or an empty disc, so that coverage can be read without colours. */
export function reachMark(reach: Reach, x: number, y: number): string {
  const transform = `translate(${x} ${y})`;
  const sign = { covered: 'M-3 0l2.2 2.6L3 -2.4', partly: 'M-3 0h6', uncovered: '' }[reach];
  return element(
    'g',
    { class: 'dg-reach', 'data-coverage': reach, transform },
    element('circle', { class: 'dg-reach-disc', r: 6 }) +
      (sign === '' ? '' : element('path', { class: 'dg-mark', d: sign })),
  );
}

/** A tick or a cross at the corner. */
function mark(light: Light, width: number): string {
  if (light !== 'done' && light !== 'failed') return '';
  const d = light === 'done' ? 'M-4 0l3 3.2L4 -3' : 'M-3 -3l6 6M3 -3l-6 6';
  return (
    element('circle', { class: 'dg-mark-disc', cx: width - 4, cy: 4, r: 8 }) +
    element('path', { class: 'dg-mark', d, transform: `translate(${width - 4} 4)` })
  );
}

/** Escapes text for the inside of an element or of an attribute. Characters that XML does not allow are left out. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** An element with its attributes. Attributes that are undefined or false are left out; true is the empty string. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
  inner = '',
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => ` ${key}="${value === true ? '' : escaped(short(value!))}"`)
    .join('');
  return inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`;
}

/** Two decimals are more than a screen shows. */
function short(value: string | number | boolean): string {
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  return String(value).replace(/\d+\.\d{3,}/g, (number) => String(Math.round(+number * 100) / 100));
}
