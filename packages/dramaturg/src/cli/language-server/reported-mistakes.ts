import type { Diagnostic as Finding, Range as SourceRange } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
  type Diagnostic,
  DiagnosticSeverity,
  type Position,
  type Range,
} from 'vscode-languageserver/node';

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

/** A finding as an editor shows it. The hint is the second line of its message. */
export function reportedMistake(
  { code, severity, message, hint, range, related = [] }: Finding,
  uri: string,
  { showsRelated }: { readonly showsRelated: boolean },
): Diagnostic {
  const lines = [message, ...(hint === undefined ? [] : [hint])];
  return {
    range: rangeOf(range),
    severity: severities[severity],
    code,
    source: 'dramaturg',
    message: lines.map(visible).join('\n'),
    ...(showsRelated &&
      related.length > 0 && {
        relatedInformation: related.map((place) => ({
          location: { uri, range: rangeOf(place.range) },
          message: visible(place.message),
        })),
      }),
  };
}

/** Converts a range of the compiler, which counts from 1, to the protocol, which counts from 0. Both count UTF-16 units. */
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
