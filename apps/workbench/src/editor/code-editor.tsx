import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, indentOnInput } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import {
  Annotation,
  Compartment,
  EditorState,
  RangeSetBuilder,
  type TransactionSpec,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import type { Diagnostic, Range } from '@dramaturg/compiler';
import type { AuthoringOptions, Language } from '@dramaturg/compiler/editor';
import { useEffect, useRef } from 'react';
import { assistance, known as knownFacet } from './assistance.ts';
import { markOf } from './mark-of.ts';
import { theme } from './theme.ts';

export interface CodeEditorProps {
  readonly text: string;
  readonly language: Language;
  readonly findings: readonly Diagnostic[];
  /** The facts for completion and hover besides the text. */
  readonly known: AuthoringOptions;
  /** The range to select and scroll to, such as the state that was picked in the chart. */
  readonly shown?: Range | undefined;
  /** Called when the person has edited the text, or replaced all of it. */
  readonly onChange: (text: string, isReplaced: boolean) => void;
  /** Called with the offset of the cursor when the person has moved it. */
  readonly onCursor: (offset: number) => void;
}

/** Marks a change that was not made in the editor. */
const fromOutside = Annotation.define<true>();
const support = new Compartment();
const knowledge = new Compartment();

export default function CodeEditor(props: CodeEditorProps) {
  const { text, language, findings, known, shown, onChange, onCursor } = props;
  const container = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const change = useRef(onChange);
  const move = useRef(onCursor);
  /** Texts that the editor has reported, and that are not yet passed back in `text`. */
  const reported = useRef<string[]>([]);
  useEffect(() => {
    change.current = (newText, replacesAll) => {
      reported.current.push(newText);
      onChange(newText, replacesAll);
    };
    move.current = onCursor;
  });

  useEffect(() => {
    const view = new EditorView({
      parent: container.current!,
      state: EditorState.create({ doc: text, extensions: extensionsFor(props, change, move) }),
    });
    editor.current = view;
    return () => view.destroy();
    // From here on the editor owns the text. The effect below applies changes from outside.
  }, []);

  useEffect(() => {
    const view = editor.current!;
    const before = view.state.doc.toString();
    const index = reported.current.lastIndexOf(text);
    const isLate = index >= 0 && index < reported.current.length - 1;
    reported.current.splice(0, index + 1);
    // The person types faster than the page is drawn: newer text stays.
    if (isLate || text === before) return;
    view.dispatch(replacement(before, text));
  }, [text]);

  useEffect(() => {
    editor.current!.dispatch({ effects: support.reconfigure(supportFor(language)) });
  }, [language]);

  useEffect(() => {
    editor.current!.dispatch({ effects: knowledge.reconfigure(knownFacet.of(known)) });
  }, [known]);

  useEffect(() => {
    const view = editor.current!;
    const marks = findings.map((finding) => markOf(finding, view.state.doc));
    view.dispatch(setDiagnostics(view.state, marks));
  }, [findings]);

  useEffect(() => {
    const view = editor.current!;
    if (!shown || shown.end.offset > view.state.doc.length) return;
    // The head is at the start, so that the first line of the range is the active one.
    const [head, anchor] = [shown.start.offset, shown.end.offset];
    view.dispatch({
      selection: { anchor, head },
      effects: EditorView.scrollIntoView(head, { y: 'start', yMargin: 40 }),
    });
  }, [shown]);

  return <div className="wb-editor" ref={container} />;
}

function replacement(before: string, text: string): TransactionSpec {
  return {
    changes: { from: 0, to: before.length, insert: text },
    annotations: fromOutside.of(true),
  };
}

function extensionsFor(
  { language, known }: CodeEditorProps,
  change: { readonly current: CodeEditorProps['onChange'] },
  move: { readonly current: CodeEditorProps['onCursor'] },
) {
  return [
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    history(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    // The browser hides its own selection while the focus is elsewhere, such as in the chart.
    drawSelection(),
    EditorView.lineWrapping,
    hangingIndent,
    highlightSelectionMatches(),
    // Tab is not bound: it moves the focus to the next element of the page.
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    support.of(supportFor(language)),
    knowledge.of(knownFacet.of(known)),
    assistance(),
    EditorView.contentAttributes.of({ 'aria-label': 'Definition', tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !update.transactions.some((each) => each.annotation(fromOutside)))
        change.current(update.state.doc.toString(), isReplaced(update));
      // The chart moves the cursor, too, and then has the focus.
      if ((update.selectionSet || update.docChanged) && update.view.hasFocus)
        move.current(update.state.selection.main.head);
    }),
    theme,
  ];
}

function supportFor(language: Language) {
  return language === 'json' ? json() : yaml();
}

/** Whether no part of the earlier text is left. */
function isReplaced({ changes }: ViewUpdate): boolean {
  let keepsText = false;
  changes.iterGaps(() => (keepsText = true));
  return !keepsText;
}

/** Indents wrapped lines to the beginning of their text. */
const hangingIndent = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorationsOf(view);
    }

    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.decorations = decorationsOf(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** The maximum indent in columns, so that there is room for the line. */
const columnsMax = 24;

function decorationsOf(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc, tabSize } = view.state;
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      const space = /^[ \t]*/.exec(line.text)![0].replaceAll('\t', ' '.repeat(tabSize));
      const columns = Math.min(space.length + 2, columnsMax);
      if (space.length > 0)
        builder.add(
          line.from,
          line.from,
          Decoration.line({
            attributes: {
              style: `text-indent:-${columns}ch;padding-left:calc(${columns}ch + 6px)`,
            },
          }),
        );
      at = line.to + 1;
    }
  }
  return builder.finish();
}
