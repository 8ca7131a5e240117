/** Completion, hover, symbols and declarations of names while a definition is typed. For editors. */
export type { AuthoringOptions } from '../authoring/authored-text.ts';
export type { Completion } from '../authoring/completion.ts';
export { completionsAt } from '../authoring/completions.ts';
export { definitionAt } from '../authoring/definition.ts';
export { type Hover, hoverAt } from '../authoring/hover.ts';
export { referencesAt } from '../authoring/references.ts';
export { type DefinitionSymbol, symbolsIn } from '../authoring/symbols.ts';
export { suggestedName } from '../did-you-mean.ts';
export { type Language, languageOf } from '../read/read.ts';
