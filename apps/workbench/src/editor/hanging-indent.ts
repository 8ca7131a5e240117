import { RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/** Indents wrapped lines to the beginning of their text. */
export const hangingIndent = ViewPlugin.fromClass(
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
