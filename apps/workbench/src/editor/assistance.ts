import {
  autocompletion,
  type Completion as Offer,
  type CompletionContext,
  type CompletionResult,
  completionStatus,
} from '@codemirror/autocomplete';
import { type EditorState, type Extension, Facet, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import {
  type AuthoringOptions,
  type Completion,
  completionsAt,
  definitionAt,
  hoverAt,
} from '@dramaturg/compiler/editor';
import { isInTest } from '../is-in-test.ts';
import { hoverCards } from './hover-cards.ts';

/** The authoring service's facts besides the text. */
export const known = Facet.define<AuthoringOptions, AuthoringOptions>({
  combine: ([first]) => first ?? { formats: [] },
});

/**
 * Completion while typing and with Ctrl+Space, hover with the pointer and with Ctrl+K Ctrl+I, and F12 or Ctrl+click for the
 * declaration of a name.
 */
export function assistance(): Extension {
  return [
    // While a list is renewed it is visible, but Enter would break the line. So Ctrl+Space keeps an open list.
    Prec.highest(keymap.of([{ key: 'Ctrl-Space', run: isListOpen }])),
    autocompletion({
      override: [offersAt],
      icons: false,
      // For a moment after the list opens, Enter is still a line break for people. A test uses the list immediately.
      interactionDelay: isInTest ? 0 : 75,
    }),
    hoverCards((state, offset) => hoverAt(state.doc.toString(), offset, state.facet(known))),
    keymap.of([{ key: 'F12', run: (view) => goTo(view, view.state.selection.main.head) }]),
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        if (!event.ctrlKey && !event.metaKey) return false;
        const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
        const isFound = offset !== null && goTo(view, offset);
        if (isFound) event.preventDefault();
        return isFound;
      },
    }),
  ];
}

function isListOpen({ state }: EditorView): boolean {
  return completionStatus(state) === 'active';
}

/** Offers options in the order of the service: required fields come first. */
function offersAt(context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context;
  const found = completionsAt(state.doc.toString(), pos, state.facet(known));
  const [first] = found;
  if (!first) return null;
  // After a comma or a bracket nothing is typed yet, and the list would be in the way.
  if (!explicit && first.span.start === first.span.end && !isAtStart(state, pos)) return null;
  return {
    from: Math.max(...found.map(({ span }) => span.start + quoteLength(state, span.start))),
    options: found.map((completion, index) => offerOf(completion, index, pos)),
    validFor: /^[\w$.]*$/,
  };
}

/** Whether the position follows a colon, a dash or the indentation of a line: a value or a field is expected there. */
function isAtStart(state: EditorState, position: number): boolean {
  const line = state.doc.lineAt(position);
  return /(?:[:-] |^\s+|["'[{] ?)$/.test(line.text.slice(0, position - line.from));
}

/** The length of the quote before the letters that are compared with the labels. */
function quoteLength(state: EditorState, offset: number): number {
  return /["']/.test(state.sliceDoc(offset, offset + 1)) ? 1 : 0;
}

/** @param offset the position of the cursor when the offers were made; more may have been typed since */
function offerOf(
  { label, kind, detail, description, insert, caret, span }: Completion,
  index: number,
  offset: number,
): Offer {
  return {
    label,
    type: kind,
    boost: -index / 10,
    ...(detail !== undefined && { detail }),
    ...(description !== undefined && { info: description }),
    apply: (view, _completion, _from, to) =>
      view.dispatch({
        changes: { from: span.start, to: span.end + to - offset, insert },
        selection: { anchor: span.start + caret },
        scrollIntoView: true,
        userEvent: 'input.complete',
      }),
  };
}

function goTo(view: EditorView, offset: number): boolean {
  const place = definitionAt(view.state.doc.toString(), offset, view.state.facet(known));
  if (!place) return false;
  const [head, anchor] = [place.start.offset, place.end.offset];
  view.dispatch({ selection: { anchor, head }, scrollIntoView: true });
  return true;
}
