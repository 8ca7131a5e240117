/** The colours of a component: `auto` is the `color-scheme` of the page around it. */
export type ColorScheme = 'auto' | 'light' | 'dark';
