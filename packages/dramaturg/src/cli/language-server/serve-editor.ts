import { definitionAt } from '@dramaturg/compiler/editor';
import {
  type ClientCapabilities,
  createConnection,
  type InitializeResult,
  InsertTextMode,
  PositionEncodingKind,
  type TextDocumentPositionParams,
  TextDocuments,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { completionItems, type CompletionSupport } from './completion-items.ts';
import { definitionDocument } from './definition-document.ts';
import { DocumentFormats } from './document-formats.ts';
import { documentSymbols } from './document-symbols.ts';
import { hoverText } from './hover-text.ts';
import { MistakePublisher } from './mistake-publisher.ts';
import { offsetOf, rangeOf } from './ranges.ts';

/** Serves an editor on the standard streams, by the Language Server Protocol 3.18. Ends the process when the editor ends. */
export function serveEditor(): void {
  const connection = createConnection(process.stdin, process.stdout);
  const documents = new TextDocuments(TextDocument);
  const formats = new DocumentFormats();
  const mistakes = new MistakePublisher(connection, formats);
  let support: CompletionSupport = { snippets: false, asIs: false };

  connection.onInitialize(({ capabilities }) => {
    const { textDocument } = capabilities;
    mistakes.showsRelated = textDocument?.publishDiagnostics?.relatedInformation === true;
    support = completionSupport(capabilities);
    return initializeResult;
  });

  /** The definition and the offset that a request is about; undefined for a document that is not a definition. */
  const placeOf = ({ textDocument, position }: TextDocumentPositionParams) => {
    const definition = definitionDocument(documents.get(textDocument.uri), formats);
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
  connection.onDocumentSymbol(({ textDocument }) => {
    const definition = definitionDocument(documents.get(textDocument.uri), formats);
    return definition ? documentSymbols(definition) : [];
  });

  documents.onDidChangeContent(({ document }) => mistakes.schedule(document));
  // A saved file may be one that another definition imports or names.
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
  },
};

function completionSupport({ textDocument }: ClientCapabilities): CompletionSupport {
  const item = textDocument?.completion?.completionItem;
  return {
    snippets: item?.snippetSupport === true,
    asIs: item?.insertTextModeSupport?.valueSet.includes(InsertTextMode.asIs) === true,
  };
}
