import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The colours of the surrounding components. */
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--wb-key)' },
  { tag: [tags.string, tags.content], color: 'var(--wb-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--wb-value)' },
  { tag: [tags.comment, tags.punctuation, tags.separator], color: 'var(--dg-muted)' },
]);

const surface = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--dg-text)',
    backgroundColor: 'var(--dg-background)',
    fontSize: '12.5px',
  },
  '.cm-scroller': { fontFamily: 'var(--dg-mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--dg-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--dg-text)' },
  '.cm-gutters': {
    color: 'var(--dg-muted)',
    backgroundColor: 'var(--dg-background)',
    border: 'none',
  },
  // The selection is below this line and must be visible through it.
  '.cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--dg-raised) 30%, transparent)',
  },
  '.cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--dg-raised) 70%, transparent)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-selectionBackground, &.cm-focused .cm-scroller .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--dg-accent-soft)',
  },
  '.cm-tooltip, .cm-panels': {
    color: 'var(--dg-text)',
    backgroundColor: 'var(--dg-raised)',
    border: '1px solid var(--dg-line)',
  },
  // The browser's colours of fields do not follow the scheme of the page.
  '.cm-panels input, .cm-panels button': {
    color: 'var(--dg-text)',
    backgroundColor: 'var(--dg-background)',
    backgroundImage: 'none',
    border: '1px solid var(--dg-line)',
    borderRadius: '6px',
  },
  '.cm-panel.cm-search label': { color: 'var(--dg-text)' },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--dg-accent)' },
  '.cm-searchMatch': { backgroundColor: 'var(--dg-note-soft)' },
  '.cm-searchMatch.cm-searchMatch-selected': {
    outline: '2px solid var(--dg-accent)',
    backgroundColor: 'var(--dg-accent-soft)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--dg-accent-soft)' },
  '.cm-tooltip': { borderRadius: '6px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--dg-mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--dg-text)',
    backgroundColor: 'var(--dg-accent-soft)',
  },
  '.cm-completionDetail': { color: 'var(--dg-muted)', fontStyle: 'normal', fontSize: '11px' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-tooltip.cm-completionInfo, .wb-hover': {
    padding: '6px 10px',
    maxWidth: '380px',
    fontFamily: 'var(--dg-font)',
    lineHeight: '1.4',
  },
  '.wb-hover p': { margin: '2px 0' },
  '.wb-hover small': { color: 'var(--dg-muted)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', maxWidth: '440px', fontFamily: 'var(--dg-font)' },
});

export const theme = [surface, syntaxHighlighting(colours)];
