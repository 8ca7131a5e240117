/** The colours of a component: `auto` follows the surrounding elements, then the reader's system. */
export type ColorScheme = 'auto' | 'light' | 'dark';
