import {
  type AuthoringOptions,
  completionsAt,
  definitionAt,
  hoverAt,
  symbolsOf,
} from '@dramaturg/compiler';
import {
  createConnection,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocuments,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { formats } from '../../known-formats.ts';
import { findingsOf } from './findings-of.ts';
import { completionItem, diagnosticOf, documentSymbol, hoverOf, rangeOf } from './to-protocol.ts';

/** A document is checked when nothing was typed for so long. */
const pauseMs = 100;

/** Serves one editor until it says that it exits, or closes standard input. */
export async function serveEditor(): Promise<void> {
  const connection = createConnection(
    new StreamMessageReader(process.stdin),
    new StreamMessageWriter(process.stdout),
  );
  const documents = new TextDocuments(TextDocument);
  const waiting = new Map<string, NodeJS.Timeout>();
  let hasSnippets = false;

  connection.onInitialize(({ capabilities }) => {
    hasSnippets = capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
    return {
      serverInfo: { name: 'dramaturg' },
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        completionProvider: { triggerCharacters: ['"', ':', ' ', '$', '.'] },
        hoverProvider: true,
        definitionProvider: true,
        documentSymbolProvider: true,
      },
    };
  });

  documents.onDidChangeContent(({ document: { uri } }) => {
    clearTimeout(waiting.get(uri));
    waiting.set(
      uri,
      setTimeout(() => void publish(uri), pauseMs),
    );
  });
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(waiting.get(uri));
    waiting.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });

  async function publish(uri: string): Promise<void> {
    waiting.delete(uri);
    const document = documents.get(uri);
    if (!document) return;
    const { version } = document;
    try {
      const found = await findingsOf(document.getText(), uri);
      // Newer text is checked after its own pause.
      if (documents.get(uri)?.version !== version) return;
      const diagnostics = found.map((one) => diagnosticOf(one, uri));
      await connection.sendDiagnostics({ uri, version, diagnostics });
    } catch (error) {
      connection.console.error(
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    }
  }

  connection.onCompletion(({ textDocument: { uri }, position }) => {
    const document = documents.get(uri);
    if (!document) return [];
    const offers = completionsAt(document.getText(), document.offsetAt(position), optionsOf(uri));
    return offers.map((offer, index) => completionItem(offer, index, document, { hasSnippets }));
  });
  connection.onHover(({ textDocument: { uri }, position }) => {
    const document = documents.get(uri);
    const hover =
      document && hoverAt(document.getText(), document.offsetAt(position), optionsOf(uri));
    return hover ? hoverOf(hover, document) : null;
  });
  connection.onDefinition(({ textDocument: { uri }, position }) => {
    const document = documents.get(uri);
    const place =
      document && definitionAt(document.getText(), document.offsetAt(position), optionsOf(uri));
    return place ? { uri, range: rangeOf(place) } : null;
  });
  connection.onDocumentSymbol(({ textDocument: { uri } }) => {
    const document = documents.get(uri);
    return document ? symbolsOf(document.getText(), optionsOf(uri)).map(documentSymbol) : [];
  });

  // An editor that crashes says nothing. The protocol has this code for an end without "shutdown".
  process.stdin.once('end', () => process.exit(1));
  documents.listen(connection);
  const exited = new Promise<void>((resolve) => {
    connection.onExit(() => resolve());
  });
  connection.listen();
  await exited;
}

function optionsOf(uri: string): AuthoringOptions {
  return { formats, fileName: uri.slice(uri.lastIndexOf('/') + 1) };
}
