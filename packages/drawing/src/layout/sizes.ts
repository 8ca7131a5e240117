import type { TextStyle } from './text.ts';

/** Sizes shared by the style sheet and the layout, in pixels. */

export const nameStyle: TextStyle = { size: 13, lineHeight: 17, maxWidth: 178, maxLines: 3 };
/** The names of parents, in a bar above their children. */
export const titleStyle: TextStyle = { ...nameStyle, maxWidth: 220, maxLines: 2 };
export const sortStyle: TextStyle = { size: 11, lineHeight: 14, maxWidth: 178, maxLines: 1 };
export const labelStyle: TextStyle = { size: 11, lineHeight: 14, maxWidth: 168, maxLines: 3 };

/** Names in a drawing that is shown at half of its size: the largest size in which a name is whole. */
export const farSizes = [20, 17, 14] as const;

/** The gap between the border of a state and its text. */
export const paddingX = 12;
export const paddingY = 8;
/** The gap between an icon and the text next to it. */
export const iconGap = 8;
export const smallestWidth = 60;
/** The gap between the border of a label and its text. */
export const labelPadding = 3;
/** An icon in a label, with the gap after it. */
export const labelIcon = 15;
/** The dot before the initial state. */
export const dot = 12;
export const historySize = 28;
/** The gap between a parent state and its children. */
export const innerPadding = 16;
export const gap = 14;
