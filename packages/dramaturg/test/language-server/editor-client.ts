import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  type ClientCapabilities,
  createMessageConnection,
  type Diagnostic,
  type InitializeResult,
  type MessageConnection,
  type Position,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';

const bin = fileURLToPath(new URL('../../bin/dramaturg.js', import.meta.url));

const allCapabilities: ClientCapabilities = {
  textDocument: {
    completion: {
      completionItem: { snippetSupport: true, insertTextModeSupport: { valueSet: [1, 2] } },
    },
    publishDiagnostics: { relatedInformation: true },
  },
};

/** An editor that has started `dramaturg lsp` as its language server. */
export class EditorClient {
  readonly connection: MessageConnection;
  /** What the server has said about itself. */
  capabilities: InitializeResult | undefined;
  readonly process: ChildProcess;
  readonly #documents = new Map<string, TextDocument>();
  readonly #published = new Map<string, PublishDiagnosticsParams>();
  readonly #news = new EventEmitter();
  #folders = 0;

  private constructor(process: ChildProcess) {
    this.process = process;
    this.connection = createMessageConnection(
      new StreamMessageReader(process.stdout!),
      new StreamMessageWriter(process.stdin!),
    );
    this.connection.onNotification(
      'textDocument/publishDiagnostics',
      (params: PublishDiagnosticsParams) => {
        this.#published.set(params.uri, params);
        this.#news.emit('published');
      },
    );
    this.connection.listen();
  }

  /** Starts a server. */
  static async start(capabilities = allCapabilities): Promise<EditorClient> {
    const child = spawn(process.execPath, [bin, 'lsp', '--stdio'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const client = new EditorClient(child);
    client.capabilities = await client.connection.sendRequest<InitializeResult>('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities,
    });
    await client.connection.sendNotification('initialized', {});
    return client;
  }

  async stop(): Promise<void> {
    this.connection.dispose();
    this.process.kill('SIGKILL');
    await this.exitCode();
  }

  /**
   * Opens a document.
   *
   * @param name of a file in a folder of its own, or a URI
   * @returns its URI
   */
  async open(name: string, text: string, languageId = 'json'): Promise<string> {
    const uri = name.includes(':') ? name : `file:///folder-${++this.#folders}/${name}`;
    this.#documents.set(uri, TextDocument.create(uri, languageId, 1, text));
    const textDocument = { uri, languageId, version: 1, text };
    await this.connection.sendNotification('textDocument/didOpen', { textDocument });
    return uri;
  }

  /** Replaces the first occurrence of a text, as one incremental change. */
  async replace(uri: string, old: string, text: string): Promise<void> {
    const document = this.#documents.get(uri)!;
    const start = document.getText().indexOf(old);
    if (start < 0) throw new Error(`The document has no ${old}.`);
    const range = {
      start: document.positionAt(start),
      end: document.positionAt(start + old.length),
    };
    const contentChanges = [{ range, text }];
    const version = document.version + 1;
    TextDocument.update(document, contentChanges, version);
    const textDocument = { uri, version };
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument,
      contentChanges,
    });
  }

  async close(uri: string): Promise<void> {
    await this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  async save(uri: string): Promise<void> {
    await this.connection.sendNotification('textDocument/didSave', { textDocument: { uri } });
  }

  /** The position behind the first occurrence of a text, or at its start. */
  position(uri: string, text: string, at: 'start' | 'end' = 'end'): Position {
    const document = this.#documents.get(uri)!;
    const start = document.getText().indexOf(text);
    if (start < 0) throw new Error(`The document has no ${text}.`);
    return document.positionAt(at === 'start' ? start : start + text.length);
  }

  textAt(uri: string, { range }: Pick<Diagnostic, 'range'>): string {
    return this.#documents.get(uri)!.getText(range);
  }

  /** The mistakes in the present version of a document, when the server has published them. */
  async mistakes(uri: string): Promise<Diagnostic[]> {
    const { version } = this.#documents.get(uri)!;
    return this.mistakesWhere(uri, (published) => published.version === version);
  }

  /** The mistakes of a document, when the published ones fulfil a condition. */
  async mistakesWhere(
    uri: string,
    isMeant: (published: PublishDiagnosticsParams) => boolean,
  ): Promise<Diagnostic[]> {
    for (;;) {
      const published = this.#published.get(uri);
      if (published && isMeant(published)) return published.diagnostics;
      await once(this.#news, 'published');
    }
  }

  ask<Answer>(request: string, uri: string, position?: Position, more: object = {}) {
    const textDocument = { uri };
    return this.connection.sendRequest<Answer>(`textDocument/${request}`, {
      textDocument,
      ...(position && { position }),
      ...more,
    });
  }

  /** The exit code of the server, once it has ended. */
  async exitCode(): Promise<number | null> {
    const { exitCode, signalCode } = this.process;
    if (exitCode === null && signalCode === null) await once(this.process, 'exit');
    return this.process.exitCode;
  }
}
