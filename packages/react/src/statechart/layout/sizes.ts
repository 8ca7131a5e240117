import type { TextStyle } from './text.ts';

/** Sizes shared by the style sheet and the layout, in pixels. */

export const nameStyle: TextStyle = { size: 13, lineHeight: 18, maxWidth: 190, maxLines: 3 };
export const labelStyle: TextStyle = { size: 11, lineHeight: 14, maxWidth: 168, maxLines: 3 };

/** Between the border of a state and its text. */
export const paddingX = 14;
export const paddingY = 9;
/** The line above the name with the sort of a state. */
export const sortHeight = 13;
export const smallestWidth = 84;
/** Between the border of a label and its text. */
export const labelPadding = 3;
/** The dot before the initial state. */
export const dot = 10;
export const historySize = 28;
/** Between a parent state and its children. */
export const innerPadding = 16;
export const gap = 14;
