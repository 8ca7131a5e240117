import { type DefinitionSymbol, symbolsIn } from '@dramaturg/compiler/editor';
import { type DocumentSymbol, SymbolKind } from 'vscode-languageserver/node';
import type { DefinitionDocument } from './definition-document.ts';
import { rangeOf } from './ranges.ts';

/** The named parts of a definition as an outline. */
export function documentSymbols({ document, options }: DefinitionDocument): DocumentSymbol[] {
  return symbolsIn(document.getText(), options).map(symbolOf);
}

function symbolOf(symbol: DefinitionSymbol): DocumentSymbol {
  const { noun, name, kind, title, range, nameRange, children } = symbol;
  return {
    // Editors refuse an outline with an empty name.
    name: name.trim() === '' ? noun : name,
    detail: [noun, kind, title].filter((each) => each !== undefined).join(', '),
    kind: children.length > 0 ? SymbolKind.Object : SymbolKind.Field,
    range: rangeOf(range),
    selectionRange: rangeOf(nameRange),
    children: children.map(symbolOf),
  };
}
