import type { AuthoringOptions } from '@dramaturg/compiler/editor';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { DocumentFormats } from './document-formats.ts';
import { fileNameOf } from './document-files.ts';

/** An open document that is a definition. */
export interface DefinitionDocument {
  readonly document: TextDocument;
  readonly options: AuthoringOptions;
}

/** Undefined for a document that is not open, or that is not a definition. */
export function definitionDocument(
  document: TextDocument | undefined,
  formats: DocumentFormats,
): DefinitionDocument | undefined {
  const format = document && formats.formatOf(document);
  if (!format) return undefined;
  return {
    document,
    options: { formats: [format], fileName: fileNameOf(document.uri), format: format.name },
  };
}
