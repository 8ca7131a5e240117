import type { Range as SourceRange } from '@dramaturg/compiler';
import type { Position, Range } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';

/** A range of the compiler, which counts from 1, as one of the protocol, which counts from 0. Both count UTF-16 units. */
export function rangeOf({ start, end }: SourceRange): Range {
  return {
    start: { line: start.line - 1, character: start.column - 1 },
    end: { line: end.line - 1, character: end.column - 1 },
  };
}

/** The offset of a position. A position outside of the text means the nearest one in it. */
export function offsetOf(document: TextDocument, { line, character }: Position): number {
  return document.offsetAt({ line: Math.max(0, line), character: Math.max(0, character) });
}
