import { hoverAt } from '@dramaturg/compiler/editor';
import { visible } from '@dramaturg/compiler/text';
import { type Hover, MarkupKind } from 'vscode-languageserver/node';
import type { DefinitionDocument } from './definition-document.ts';

/** What the field or name at an offset means. Plain text, because Markdown in a definition would load images and make links. */
export function hoverText(
  { document, options }: DefinitionDocument,
  offset: number,
): Hover | undefined {
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
