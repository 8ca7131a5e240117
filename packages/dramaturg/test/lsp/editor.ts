import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import {
  createMessageConnection,
  type Diagnostic,
  type InitializeResult,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';

const command = fileURLToPath(new URL('../../bin/dramaturg.js', import.meta.url));

interface Published {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** An editor that has started `dramaturg lsp` and speaks with it over its standard input and output. */
export class Editor {
  readonly process: ChildProcessWithoutNullStreams;
  readonly connection: MessageConnection;
  readonly exited: Promise<number | null>;
  initialized!: InitializeResult;
  readonly #published: Published[] = [];
  readonly #waiting = new Set<() => void>();

  constructor() {
    this.process = spawn(process.execPath, [command, 'lsp', '--stdio']);
    this.exited = new Promise((resolve) => this.process.on('exit', resolve));
    this.connection = createMessageConnection(
      new StreamMessageReader(this.process.stdout),
      new StreamMessageWriter(this.process.stdin),
    );
    this.connection.onNotification('textDocument/publishDiagnostics', (published: Published) => {
      this.#published.push(published);
      for (const look of this.#waiting) look();
    });
    this.connection.listen();
  }

  static async open(): Promise<Editor> {
    const editor = new Editor();
    onTestFinished(() => {
      editor.connection.dispose();
      editor.process.kill('SIGKILL');
    });
    editor.initialized = await editor.connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
    });
    await editor.connection.sendNotification('initialized', {});
    return editor;
  }

  async write(uri: string, version: number, text: string): Promise<void> {
    await (version === 1
      ? this.connection.sendNotification('textDocument/didOpen', {
          textDocument: { uri, languageId: 'json', version, text },
        })
      : this.connection.sendNotification('textDocument/didChange', {
          textDocument: { uri, version },
          contentChanges: [{ text }],
        }));
  }

  /** The findings about a version of a document, as soon as they are there. */
  findings(uri: string, version: number): Promise<readonly Diagnostic[]> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.#published.find((one) => one.uri === uri && one.version === version);
        if (!found) return;
        this.#waiting.delete(look);
        resolve(found.diagnostics);
      };
      this.#waiting.add(look);
      look();
    });
  }

  ask<Answer>(method: string, uri: string, line: number, character: number): Promise<Answer> {
    return this.connection.sendRequest(`textDocument/${method}`, {
      textDocument: { uri },
      position: { line, character },
    });
  }
}
