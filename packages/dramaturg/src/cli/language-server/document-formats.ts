import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyFormat, hasErrors } from '@dramaturg/compiler';
import { detect, read } from '@dramaturg/compiler/format';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { formats } from '../../known-formats.ts';
import { standardInput } from '../files.ts';

interface Known {
  readonly version: number;
  readonly format: AnyFormat | undefined;
}

/** The format of each open document, by its name, or else by its text. */
export class DocumentFormats {
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
export function fileOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : standardInput;
  } catch {
    return standardInput;
  }
}

/** The name of a document without its folders, also if it has no file. */
export function fileNameOf(uri: string): string {
  const name = posix.basename(uri.replace(/[?#].*$/s, ''));
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
