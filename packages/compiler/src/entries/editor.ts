/** Completion, hover, symbols and declarations of names while a definition is typed. For editors. */
export type { AuthoringOptions } from '../authoring/authored-text.ts';
export type { Completion } from '../authoring/completions.ts';
export { completionsAt } from '../authoring/completions.ts';
export { definitionAt } from '../authoring/navigation.ts';
export { type Hover, hoverAt } from '../authoring/navigation.ts';
export { referencesAt } from '../authoring/navigation.ts';
export { type DefinitionSymbol, symbolsIn } from '../authoring/navigation.ts';
export { suggestedName } from '../words.ts';
export { type Language, languageOf } from '../read/read.ts';
