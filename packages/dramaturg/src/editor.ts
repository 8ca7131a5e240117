/** Functions for editors: completions, hovers, symbols and definitions of names. Runs in browsers too. See docs/editors.md */
export type { Range } from '@dramaturg/compiler';
export {
  type AuthoringOptions,
  type Completion,
  completionsAt,
  definitionAt,
  type DefinitionSymbol,
  type Hover,
  hoverAt,
  referencesAt,
  suggestedName,
  symbolsIn,
} from '@dramaturg/compiler/editor';
export { formats } from './known-formats.ts';
