/** What an editor offers while a definition is written. Runs in browsers too. See docs/editors.md */
export {
  type AuthoringOptions,
  type Completion,
  completionsAt,
  definitionAt,
  type DefinitionSymbol,
  type Hover,
  hoverAt,
  type Range,
  symbolsIn,
} from '@dramaturg/compiler';
export { formats } from './known-formats.ts';
