/** Completion, hover, symbols and declarations of names while a definition is typed. For editors. */
export type { AuthoringOptions } from '../authoring/authored-text.ts';
export { type Completion, completionsAt } from '../authoring/completions.ts';
export {
  definitionAt,
  type Hover,
  hoverAt,
  referencesAt,
  type DefinitionSymbol,
  symbolsIn,
} from '../authoring/navigation.ts';
export { suggestedName } from '../words.ts';
export { type Language, languageOf } from '../read/read.ts';
