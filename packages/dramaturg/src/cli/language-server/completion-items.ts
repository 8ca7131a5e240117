import { type Completion, completionsAt } from '@dramaturg/compiler/editor';
import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  InsertTextMode,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { DefinitionDocument } from './definition-document.ts';

/** What the editor can do with a completion. */
export interface CompletionSupport {
  /** Inserts a text with a place for the cursor in it. */
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
 * What may be written at an offset, best first.
 *
 * @param trigger the character that asked, and not the author
 */
export function completionItems(
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

/** A text without meaning for snippets. */
function literal(text: string): string {
  return text.replaceAll(/[\\$}]/g, '\\$&');
}
