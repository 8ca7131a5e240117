import type { Piece } from '../../../src/markdown.ts';

type Child = Node | string | undefined;

interface Properties {
  readonly class?: string;
  /** Attributes and their values; an absent one is left out. */
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly onClick?: () => void;
}

/** Creates an element. Strings become text nodes, so no string is ever markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  { class: className, attributes = {}, onClick }: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className !== undefined) made.className = className;
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(attribute, value);
  if (onClick) made.addEventListener('click', onClick);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** The node of a piece of a message. */
export function elementOf(piece: Piece): Node | string {
  if (typeof piece === 'string') return piece;
  const { name, attributes, children } = piece;
  return element(name, { attributes }, ...children.map(elementOf));
}

export function button(className: string, text: string, onClick: () => void): HTMLButtonElement {
  return element('button', { class: className, attributes: { type: 'button' }, onClick }, text);
}

const svg = 'http://www.w3.org/2000/svg';

/** An icon of 24 × 24 units. The element around it has the label. */
export function icon(path: string): SVGSVGElement {
  const made = document.createElementNS(svg, 'svg');
  made.setAttribute('viewBox', '0 0 24 24');
  made.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(svg, 'path');
  line.setAttribute('d', path);
  made.append(line);
  return made;
}
