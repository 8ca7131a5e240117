import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AnyFormat,
  type Diagnostic,
  hasErrors,
  type Range as SourceRange,
} from '@dramaturg/compiler';
import {
  type AuthoringOptions,
  type Completion,
  completionsAt,
  definitionAt,
  type DefinitionSymbol,
  hoverAt,
  referencesAt,
  suggestedName,
  symbolsIn,
} from '@dramaturg/compiler/editor';
import { detect, read } from '@dramaturg/compiler/format';
import { visible } from '@dramaturg/compiler/text';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  type ClientCapabilities,
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  type Connection,
  createConnection,
  type Diagnostic as ReportedDiagnostic,
  DiagnosticSeverity,
  type DocumentSymbol,
  type FoldingRange,
  type Hover,
  type InitializeResult,
  InsertTextFormat,
  InsertTextMode,
  MarkupKind,
  type Position,
  PositionEncodingKind,
  type Range,
  SymbolKind,
  type TextDocumentPositionParams,
  TextDocuments,
  TextDocumentSyncKind,
  type TextEdit,
} from 'vscode-languageserver/node';
import { check } from '../../compile.ts';
import { formats } from '../../known-formats.ts';
import { findingsOutside, partsOf } from '../definition-parts.ts';
import { standardInput } from '../files.ts';
import { unknownDefinitions } from '../unknown-definitions.ts';

interface Known {
  readonly version: number;
  readonly format: AnyFormat | undefined;
}

/** The format of each open document, by its name, or else by its text. */
class DocumentFormats {
  readonly #known = new WeakMap<TextDocument, Known>();

  /** Undefined for a document that is not a definition. */
  formatOf(document: TextDocument): AnyFormat | undefined {
    const known = this.#known.get(document);
    if (known?.version === document.version) return known.format;
    const format = formatNow(document, known?.format);
    this.#known.set(document, { version: document.version, format });
    return format;
  }
}

/** A document that is broken while somebody types keeps its format. */
function formatNow(document: TextDocument, before: AnyFormat | undefined): AnyFormat | undefined {
  const fileName = fileNameOf(document.uri);
  const { value, diagnostics } = read(document.getText(), { fileName });
  const detected = detect(value, formats, { fileName });
  if ('format' in detected) return detected.format;
  return hasErrors(diagnostics) ? before : undefined;
}

/** The file of a document; standard input for a document that is not on this computer, such as one that was never saved. */
function fileOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : standardInput;
  } catch {
    return standardInput;
  }
}

/** The name of a document without its folders, also if it has no file. */
function fileNameOf(uri: string): string {
  const name = posix.basename(uri.replace(/[?#].*$/s, ''));
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Serves an editor on the standard streams, by the Language Server Protocol 3.18. Ends the process when the editor ends. */
export function serveEditor(): void {
  const connection = createConnection(process.stdin, process.stdout);
  const documents = new TextDocuments(TextDocument);
  const documentFormats = new DocumentFormats();
  const mistakes = new MistakePublisher(connection, documentFormats);
  let support: CompletionSupport = { snippets: false, asIs: false };

  connection.onInitialize(({ capabilities }) => {
    const { textDocument } = capabilities;
    mistakes.showsRelated = textDocument?.publishDiagnostics?.relatedInformation === true;
    support = completionSupport(capabilities);
    return initializeResult;
  });

  /** The definition and the offset that a request is about; undefined for a document that is not a definition. */
  const placeOf = ({ textDocument, position }: TextDocumentPositionParams) => {
    const definition = definitionDocument(documents.get(textDocument.uri), documentFormats);
    return definition && { definition, offset: offsetOf(definition.document, position) };
  };
  connection.onCompletion(({ context, ...params }) => {
    const place = placeOf(params);
    const trigger = context?.triggerCharacter;
    return place ? completionItems(place.definition, place.offset, support, trigger) : [];
  });
  connection.onHover((params) => {
    const place = placeOf(params);
    return place && hoverText(place.definition, place.offset);
  });
  connection.onDefinition((params) => {
    const place = placeOf(params);
    if (!place) return undefined;
    const { document, options } = place.definition;
    const range = definitionAt(document.getText(), place.offset, options);
    return range && { uri: document.uri, range: rangeOf(range) };
  });
  connection.onReferences(({ context, ...params }) => {
    const place = placeOf(params);
    const [declared, ...uses] = place ? placesOfName(place.definition, place.offset) : [];
    const ranges = declared && context.includeDeclaration ? [declared, ...uses] : uses;
    return ranges.map((range) => ({ uri: params.textDocument.uri, range }));
  });
  connection.onRenameRequest(({ newName, ...params }) => {
    const place = placeOf(params);
    if (!place) return undefined;
    const { document } = place.definition;
    const edits = placesOfName(place.definition, place.offset).map((range): TextEdit =>
      replaced(document, range, newName),
    );
    return { changes: { [document.uri]: edits } };
  });
  connection.onCodeAction(({ textDocument, context }) => {
    const document = documents.get(textDocument.uri);
    return document ? context.diagnostics.flatMap((one) => actionsFor(one, document)) : [];
  });
  connection.onFoldingRanges(({ textDocument }) => {
    const definition = definitionDocument(documents.get(textDocument.uri), documentFormats);
    return definition ? documentSymbols(definition).flatMap(foldsOf) : [];
  });
  connection.onDocumentSymbol(({ textDocument }) => {
    const definition = definitionDocument(documents.get(textDocument.uri), documentFormats);
    return definition ? documentSymbols(definition) : [];
  });

  documents.onDidChangeContent(({ document }) => mistakes.schedule(document));
  // Another definition may import or name the saved file.
  documents.onDidSave(() => documents.all().forEach((document) => mistakes.schedule(document)));
  documents.onDidClose(({ document }) => mistakes.close(document));
  documents.listen(connection);
  connection.listen();
}

const initializeResult: InitializeResult = {
  serverInfo: { name: 'dramaturg' },
  capabilities: {
    positionEncoding: PositionEncodingKind.UTF16,
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    completionProvider: { triggerCharacters: ['"', "'", ' ', '.', '$'] },
    hoverProvider: true,
    definitionProvider: true,
    documentSymbolProvider: true,
    referencesProvider: true,
    renameProvider: true,
    codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
    foldingRangeProvider: true,
  },
};

function completionSupport({ textDocument }: ClientCapabilities): CompletionSupport {
  const item = textDocument?.completion?.completionItem;
  return {
    snippets: item?.snippetSupport === true,
    asIs: item?.insertTextModeSupport?.valueSet.includes(InsertTextMode.asIs) === true,
  };
}

/** The places of the name at an offset, that of its declaration first. */
function placesOfName({ document, options }: DefinitionDocument, offset: number) {
  return referencesAt(document.getText(), offset, options).map(rangeOf);
}

/** Replaces a name, and keeps its quotes. */
function replaced(document: TextDocument, range: TextEdit['range'], name: string): TextEdit {
  const [quote = ''] = document.getText(range);
  const isPlain =
    !/["']/.test(quote) && /^[\w-]+(?: [\w-]+)*$/.test(name) && Number.isNaN(Number(name));
  if (isPlain) return { range, newText: name };
  const newText = quote === "'" ? `'${name.replaceAll("'", "''")}'` : JSON.stringify(name);
  return { range, newText };
}

/** Changes a name to the one that a finding suggests. */
function actionsFor(finding: ReportedDiagnostic, document: TextDocument): CodeAction[] {
  const { message, source } = finding;
  const name = typeof message === 'string' ? suggestedName(message) : undefined;
  if (source !== 'dramaturg' || name === undefined) return [];
  const changes = { [document.uri]: [replaced(document, finding.range, name)] };
  return [
    {
      title: `Change to "${name}"`,
      kind: CodeActionKind.QuickFix,
      diagnostics: [finding],
      isPreferred: true,
      edit: { changes },
    },
  ];
}

/** The lines of a symbol of several lines, and of those within it. */
function foldsOf({ range, children = [] }: DocumentSymbol): FoldingRange[] {
  const { start, end } = range;
  const own = end.line > start.line ? [{ startLine: start.line, endLine: end.line }] : [];
  return [...own, ...children.flatMap(foldsOf)];
}

/** The named parts of a definition as an outline. */
function documentSymbols({ document, options }: DefinitionDocument): DocumentSymbol[] {
  return symbolsIn(document.getText(), options).map(symbolOf);
}

function symbolOf(symbol: DefinitionSymbol): DocumentSymbol {
  const { noun, name, kind, title, range, nameRange, children } = symbol;
  return {
    // Editors refuse an outline with an empty name.
    name: name.trim() === '' ? noun : name,
    detail: [noun, kind, title].filter((each) => each !== undefined).join(', '),
    kind: children.length > 0 ? SymbolKind.Object : SymbolKind.Field,
    range: rangeOf(range),
    selectionRange: rangeOf(nameRange),
    children: children.map(symbolOf),
  };
}

/** Explains the field or name at an offset. In plain text, because Markdown in a definition would load images and make links. */
function hoverText({ document, options }: DefinitionDocument, offset: number): Hover | undefined {
  const hover = hoverAt(document.getText(), offset, options);
  if (!hover) return undefined;
  const { title, text, section, span } = hover;
  const source = section === undefined ? [] : [`Specification: docs/formats/${section}`];
  return {
    contents: {
      kind: MarkupKind.PlainText,
      value: [title, ...text, ...source].map(visible).join('\n\n'),
    },
    range: { start: document.positionAt(span.start), end: document.positionAt(span.end) },
  };
}

/** How long a text must stay unchanged before it is checked, so that not every keystroke costs a check. */
const restMs = 150;

/** Publishes the mistakes in open documents, shortly after each change. */
class MistakePublisher {
  readonly #connection: Connection;
  readonly #documentFormats: DocumentFormats;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Whether the editor shows the places that explain a mistake. */
  showsRelated = false;

  constructor(connection: Connection, documentFormats: DocumentFormats) {
    this.#connection = connection;
    this.#documentFormats = documentFormats;
  }

  /** Checks a document after a pause in typing. */
  schedule(document: TextDocument): void {
    this.#cancel(document.uri);
    const timer = setTimeout(() => void this.#publish(document, timer), restMs);
    this.#timers.set(document.uri, timer);
  }

  /** Clears the mistakes of a document that was closed. */
  async close({ uri }: TextDocument): Promise<void> {
    this.#cancel(uri);
    await this.#connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  #cancel(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
  }

  /** @param timer identifies this check: a change of the document replaces it, and closing the document removes it */
  async #publish(document: TextDocument, timer: NodeJS.Timeout): Promise<void> {
    const { uri, version } = document;
    try {
      const format = this.#documentFormats.formatOf(document)?.name;
      const found = await findMistakes(document.getText(), fileOf(uri), format);
      if (this.#timers.get(uri) !== timer) return;
      const { showsRelated } = this;
      const diagnostics = found.map((one) => reportedMistake(one, uri, { showsRelated }));
      await this.#connection.sendDiagnostics({ uri, version, diagnostics });
    } catch (error) {
      // The other documents are still served. The editor shows this in the log of the server.
      this.#connection.console.error(`"${uri}" could not be checked: ${(error as Error).message}`);
    }
  }
}

/**
 * All findings of `dramaturg check` in a document that is a definition or contains some. Files that it imports are read from the
 * disk.
 *
 * @param format the name of its format; undefined for a text that is not a definition
 */
async function findMistakes(
  text: string,
  file: string,
  format: string | undefined,
): Promise<readonly Diagnostic[]> {
  const given = format === undefined ? {} : { format };
  const { parts, container } = await partsOf(text, file, given, unknownDefinitions);
  if (!container && format === undefined) return [];
  const outside = container ? findingsOutside(container, parts).diagnostics : [];
  // A definition in another file is checked when that file is open.
  const inside = parts.flatMap((part) =>
    part.text === undefined || part.elsewhere ? [] : check(part.text, part.options).diagnostics,
  );
  return [...outside, ...inside];
}

/** The features of the editor for completions. */
interface CompletionSupport {
  /** Inserts a string with a place for the cursor in it. */
  readonly snippets: boolean;
  /** Inserts several lines with the indentation that they have. */
  readonly asIs: boolean;
}

const kinds = {
  field: CompletionItemKind.Field,
  value: CompletionItemKind.Value,
  name: CompletionItemKind.Reference,
  word: CompletionItemKind.Keyword,
} as const satisfies Record<Completion['kind'], CompletionItemKind>;

/** After a colon, a dash, a bracket or the indentation of a line, where a value or a field is expected. */
const expectsWord = /(?:[:-] +|^\s+|["'[{,] ?)$/;

/**
 * The completions at an offset, best first.
 *
 * @param trigger the character that triggered the request; undefined when the author asked for it
 */
function completionItems(
  { document, options }: DefinitionDocument,
  offset: number,
  support: CompletionSupport,
  trigger?: string,
): CompletionItem[] {
  const text = document.getText();
  if (trigger === ' ' && !expectsWord.test(lineBefore(text, offset))) return [];
  return completionsAt(text, offset, options).map((completion, index) =>
    itemOf(completion, index, document, support),
  );
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

function itemOf(
  { label, kind, detail, description, insert, caret, span }: Completion,
  index: number,
  document: TextDocument,
  { snippets, asIs }: CompletionSupport,
): CompletionItem {
  const range = { start: document.positionAt(span.start), end: document.positionAt(span.end) };
  const quote = /^["']/.exec(document.getText(range))?.[0] ?? '';
  // An editor that indents further lines by itself gets the first line only.
  const fitting = asIs ? insert : insert.replace(/\n.*$/s, '');
  const cursor = Math.min(caret, fitting.length);
  return {
    label,
    kind: kinds[kind],
    ...(detail !== undefined && { detail }),
    ...(description !== undefined && { documentation: description }),
    sortText: String(index).padStart(5, '0'),
    // The editor compares this with the text from the start of the range, which begins with the quote.
    filterText: `${quote}${label}`,
    insertTextFormat: snippets ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    ...(asIs && { insertTextMode: InsertTextMode.asIs }),
    textEdit: {
      range,
      newText: snippets
        ? `${literal(fitting.slice(0, cursor))}$0${literal(fitting.slice(cursor))}`
        : fitting,
    },
  };
}

/** Escapes the characters that have a meaning in snippets. */
function literal(text: string): string {
  return text.replaceAll(/[\\$}]/g, '\\$&');
}

/** An open document that is a definition. */
interface DefinitionDocument {
  readonly document: TextDocument;
  readonly options: AuthoringOptions;
}

/** Undefined for a document that is not open, or that is not a definition. */
function definitionDocument(
  document: TextDocument | undefined,
  documentFormats: DocumentFormats,
): DefinitionDocument | undefined {
  const format = document && documentFormats.formatOf(document);
  if (!format) return undefined;
  return {
    document,
    options: { formats: [format], fileName: fileNameOf(document.uri), format: format.name },
  };
}

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

/** A finding as an editor shows it. The hint is the second line of its message. */
function reportedMistake(
  { code, severity, message, hint, range, related = [] }: Diagnostic,
  uri: string,
  { showsRelated }: { readonly showsRelated: boolean },
): ReportedDiagnostic {
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
function rangeOf({ start, end }: SourceRange): Range {
  return {
    start: { line: start.line - 1, character: start.column - 1 },
    end: { line: end.line - 1, character: end.column - 1 },
  };
}

/** The offset of a position. A position outside of the text means the nearest one in it. */
function offsetOf(document: TextDocument, { line, character }: Position): number {
  return document.offsetAt({ line: Math.max(0, line), character: Math.max(0, character) });
}
