/** The colours of a component: `auto` are those of what is around it, and of the reader's system in the end. */
export type ColorScheme = 'auto' | 'light' | 'dark';
