import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { type EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view';
import type { Hover } from '@dramaturg/compiler/editor';

type HoverAt = (state: EditorState, offset: number) => Hover | undefined;

const setCard = StateEffect.define<Tooltip | null>();

/** The card that was opened by keyboard, until the next change of text or selection. */
const card = StateField.define<Tooltip | null>({
  create: () => null,
  update: (current, { effects, docChanged, selection }) => {
    const opened = effects.find((effect) => effect.is(setCard));
    if (opened) return opened.value;
    return docChanged || selection ? null : current;
  },
  provide: (field) => showTooltip.from(field),
});

/** Cards about the field or name under the pointer, or with Ctrl+K Ctrl+I at the cursor; Escape closes. */
export function hoverCards(hoverAt: HoverAt): Extension {
  const cardAt = (state: EditorState, offset: number) => {
    const hover = hoverAt(state, offset);
    return hover ? tooltipOf(hover) : null;
  };
  const show = (view: EditorView, value: Tooltip | null) => {
    if (value === view.state.field(card)) return false;
    view.dispatch({ effects: setCard.of(value) });
    return true;
  };
  return [
    card,
    // The offset is between two letters, and the side says which of them is under the pointer. On the second half of a name's
    // last letter, the offset is already after the name.
    hoverTooltip((view, offset, side) => cardAt(view.state, side < 0 ? offset - 1 : offset)),
    keymap.of([
      {
        key: 'Mod-k Mod-i',
        run: (view) => show(view, cardAt(view.state, view.state.selection.main.head)),
      },
      { key: 'Escape', run: (view) => show(view, null) },
    ]),
  ];
}

function tooltipOf(hover: Hover): Tooltip {
  const { start, end } = hover.span;
  return { pos: start, end, above: true, create: () => ({ dom: elementOf(hover) }) };
}

function elementOf({ title, text, section }: Hover): HTMLElement {
  const element = document.createElement('div');
  element.className = 'wb-hover';
  // Makes screen readers announce the card.
  element.setAttribute('role', 'status');
  element.append(line('strong', title), ...text.map((sentence) => line('p', sentence)));
  if (section !== undefined)
    element.append(line('small', `Specification: docs/formats/${section}`));
  return element;
}

function line(tag: 'strong' | 'p' | 'small', text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}
