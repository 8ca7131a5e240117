import type { Connection } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { fileOf } from './document-files.ts';
import type { DocumentFormats } from './document-formats.ts';
import { findMistakes } from './find-mistakes.ts';
import { reportedMistake } from './reported-mistakes.ts';

/** How long a text must rest before it is checked, so that not every letter costs a check. */
const restMs = 150;

/** Publishes the mistakes in open documents, shortly after each change. */
export class MistakePublisher {
  readonly #connection: Connection;
  readonly #formats: DocumentFormats;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Whether the editor shows the places that explain a mistake. */
  showsRelated = false;

  constructor(connection: Connection, formats: DocumentFormats) {
    this.#connection = connection;
    this.#formats = formats;
  }

  /** Checks a document when it has rested. */
  schedule(document: TextDocument): void {
    this.#cancel(document.uri);
    const timer = setTimeout(() => void this.#publish(document, timer), restMs);
    this.#timers.set(document.uri, timer);
  }

  /** Takes back the mistakes of a document that was closed. */
  async close({ uri }: TextDocument): Promise<void> {
    this.#cancel(uri);
    await this.#connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  #cancel(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
  }

  /** @param timer identifies this check: it is another one after a change of the document, and none after its end */
  async #publish(document: TextDocument, timer: NodeJS.Timeout): Promise<void> {
    const { uri, version } = document;
    try {
      const format = this.#formats.formatOf(document)?.name;
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
