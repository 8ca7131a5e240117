import { type AnyFormat, hasErrors } from '@dramaturg/compiler';
import { detect, read } from '@dramaturg/compiler/format';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { formats } from '../../known-formats.ts';
import { fileNameOf } from './document-files.ts';

interface Known {
  readonly version: number;
  readonly format: AnyFormat | undefined;
}

/** Which format each open document has, by its name, or else by its text. */
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

/** A text that is broken at the moment, because somebody types, keeps its format. */
function formatNow(document: TextDocument, before: AnyFormat | undefined): AnyFormat | undefined {
  const fileName = fileNameOf(document.uri);
  const { value, diagnostics } = read(document.getText(), { fileName });
  const detected = detect(value, formats, { fileName });
  if ('format' in detected) return detected.format;
  return hasErrors(diagnostics) ? before : undefined;
}
