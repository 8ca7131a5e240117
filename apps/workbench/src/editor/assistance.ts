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

/** What the service knows besides the text. */
export const known = Facet.define<AuthoringOptions, AuthoringOptions>({
  combine: ([first]) => first ?? { formats: [] },
});

/**
 * Completion while typing and with Ctrl+Space, hover with the pointer and with Ctrl+K Ctrl+I, and F12 or Ctrl+click for the place that
 * declares a name.
 */
export function assistance(): Extension {
  return [
    // While a list is renewed it is still visible, but Enter breaks the line. A list that is open stays.
    Prec.highest(keymap.of([{ key: 'Ctrl-Space', run: isListOpen }])),
    autocompletion({
      override: [offersAt],
      icons: false,
      // People need a moment in which Enter is still a line break; a test takes the list as soon as it is there.
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

/** The options are offered in the order of the service: needed fields come first. */
function offersAt(context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context;
  const found = completionsAt(state.doc.toString(), pos, state.facet(known));
  const [first] = found;
  if (!first) return null;
  // Behind a comma or a bracket nothing is typed yet, and the list would be in the way.
  if (!explicit && first.span.start === first.span.end && !isAtStart(state, pos)) return null;
  return {
    from: Math.max(...found.map(({ span }) => span.start + quoteLength(state, span.start))),
    options: found.map((completion, index) => offerOf(completion, index, pos)),
    validFor: /^[\w$.]*$/,
  };
}

/** After a colon, a dash or the indentation of a line, where a value or a field is expected. */
function isAtStart(state: EditorState, position: number): boolean {
  const line = state.doc.lineAt(position);
  return /(?:[:-] |^\s+|["'[{] ?)$/.test(line.text.slice(0, position - line.from));
}

/** The letters that are compared with the labels begin behind the quote. */
function quoteLength(state: EditorState, offset: number): number {
  return /["']/.test(state.sliceDoc(offset, offset + 1)) ? 1 : 0;
}

/** @param offset of the cursor when the offers were made; more may have been typed since */
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
