import type { Completion, DefinitionSymbol, Diagnostic, Hover, Range } from '@dramaturg/compiler';
import {
  type CompletionItem,
  CompletionItemKind,
  type Diagnostic as ProtocolDiagnostic,
  DiagnosticSeverity,
  type DocumentSymbol,
  type Hover as ProtocolHover,
  InsertTextFormat,
  type Range as ProtocolRange,
  SymbolKind,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';

/** Lines and columns of the protocol count from 0. */
export function rangeOf({ start, end }: Range): ProtocolRange {
  return {
    start: { line: start.line - 1, character: start.column - 1 },
    end: { line: end.line - 1, character: end.column - 1 },
  };
}

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

export function diagnosticOf(
  { code, severity, message, hint, range, related = [] }: Diagnostic,
  uri: string,
): ProtocolDiagnostic {
  return {
    source: 'dramaturg',
    code,
    severity: severities[severity],
    message: hint === undefined ? message : `${message}\n${hint}`,
    range: rangeOf(range),
    relatedInformation: related.map((place) => ({
      message: place.message,
      location: { uri, range: rangeOf(place.range) },
    })),
  };
}

const completionKinds = {
  field: CompletionItemKind.Field,
  value: CompletionItemKind.Value,
  name: CompletionItemKind.Reference,
  word: CompletionItemKind.Variable,
} as const;

/** @param index its place in the list: the best offer comes first */
export function completionItem(
  { label, kind, detail, description, insert, caret, span }: Completion,
  index: number,
  document: TextDocument,
  { hasSnippets }: { readonly hasSnippets: boolean },
): CompletionItem {
  const range = { start: document.positionAt(span.start), end: document.positionAt(span.end) };
  // Editors compare what is typed, including an open quote, with this text.
  const [quote = ''] = /^["']/.exec(document.getText(range)) ?? [];
  const newText = hasSnippets
    ? `${literal(insert.slice(0, caret))}$0${literal(insert.slice(caret))}`
    : insert;
  return {
    label,
    kind: completionKinds[kind],
    sortText: String(index).padStart(5, '0'),
    filterText: quote + label,
    insertTextFormat: hasSnippets ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    textEdit: { range, newText },
    ...(detail !== undefined && { detail }),
    ...(description !== undefined && { documentation: description }),
  };
}

/** The text in the syntax of snippets. */
function literal(text: string): string {
  return text.replaceAll(/[\\$}]/g, String.raw`\$&`);
}

/** Plain text: the words come from definitions, and Markdown of others could show links and pictures. */
export function hoverOf({ title, text, span }: Hover, document: TextDocument): ProtocolHover {
  return {
    contents: { kind: 'plaintext', value: [title, ...text].join('\n\n') },
    range: { start: document.positionAt(span.start), end: document.positionAt(span.end) },
  };
}

export function documentSymbol({
  noun,
  name,
  title,
  range,
  nameRange,
  children,
}: DefinitionSymbol): DocumentSymbol {
  return {
    name,
    detail: title === undefined ? noun : `${noun}: ${title}`,
    kind: SymbolKind.Object,
    range: rangeOf(range),
    selectionRange: rangeOf(nameRange),
    children: children.map(documentSymbol),
  };
}
